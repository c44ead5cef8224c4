pub struct Link {
    pub link_name: String,
    pub link_section: String,
}

pub fn parse_link(text: &str) -> Option<Link> {
    let mut parts = text.splitn(2, '#').map(str::to_string);
    let link_name = parts.next()?;
    Some(Link { link_name, link_section: parts.next()? })
}
