pub fn rev<'a>(s: &'a str) -> std::string::String
where
    'a: 'a,
{
    s.chars().rev().collect()
}
