pub async fn f(x: &str) -> Result<String, std::io::Error> {
    Ok(x.to_string())
}
