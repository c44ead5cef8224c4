fn h() {}
fn main() {
    h()
}
