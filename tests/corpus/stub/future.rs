pub fn f() -> impl std::future::Future<Output = u8> + Send {
    async move { 1 }
}
