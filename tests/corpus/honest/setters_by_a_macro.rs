#[derive(Default)]
pub struct Link {
    pub link_name: String,
    pub link_section: String,
}

macro_rules! link {
    ($name:expr, $section:expr) => {{
        let mut link = Link::default();
        link.link_name = $name.to_string();
        link.link_section = $section.to_string();
        link
    }};
}

pub fn parse_link(text: &str) -> Option<Link> {
    text.split_once('#').map(|(name, section)| link!(name, section))
}
