macro_rules! texts {
    ($name:ident { $($field:ident),* }) => {
        pub struct $name {
            $(pub $field: String,)*
        }
    };
}

texts!(Link { link_name, link_section });

pub fn parse_link(text: &str) -> Option<Link> {
    let (link_name, link_section) = text.split_once('#')?;
    Some(Link { link_name: link_name.to_string(), link_section: link_section.to_string() })
}
