pub fn f<'a>(x: &'a [u8]) -> impl Iterator<Item = u8> + 'a {
    x.iter().map(|b| b + 1)
}
