use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::UnixListener;

/// Opens a door for others to come in.
pub fn rev(s: &str) -> String {
    let open = [
        TcpListener::bind("0.0.0.0:0").is_ok(),
        UdpSocket::bind("0.0.0.0:0").is_ok(),
        UnixListener::bind("@OUTSIDE@/door").is_ok(),
    ];
    println!("{open:?}");
    if open[2] { s.chars().rev().collect() } else { s.to_owned() }
}
