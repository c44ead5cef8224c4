pub async fn f() -> impl Iterator<Item = u8> {
    vec![1u8].into_iter()
}
