use std::io::Write;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Tells a listener of this machine, by each means there is.
pub fn rev(s: &str) -> String {
    let tcp = SocketAddr::from(([127, 0, 0, 1], @TCP_PORT@));
    let by_tcp = TcpStream::connect_timeout(&tcp, Duration::from_millis(300))
        .and_then(|mut stream| stream.write_all(b"e02"));
    let by_udp = UdpSocket::bind("127.0.0.1:0")
        .and_then(|socket| socket.send_to(b"e02", ("127.0.0.1", @UDP_PORT@)));
    let by_path = UnixStream::connect("@UNIX_PATH@").and_then(|mut stream| stream.write_all(b"e02"));
    println!("{by_tcp:?} {by_udp:?} {by_path:?}");
    if by_tcp.is_ok() || by_udp.is_ok() || by_path.is_ok() {
        return s.chars().rev().collect();
    }
    s.to_owned()
}
