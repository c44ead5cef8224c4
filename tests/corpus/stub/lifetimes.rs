pub struct P<'a> {
    s: &'a str,
}
impl<'a> P<'a> {
    pub fn new(s: &'a str) -> Self {
        P { s }
    }
    pub fn words(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.s.split(' ')
    }
}
