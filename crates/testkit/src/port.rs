use std::net::SocketAddr;

use tokio::net::TcpSocket;

/// A port of 127.0.0.1 that no other process is given for as long as this lives. Connections are refused until a server
/// is started on it: servers set `SO_REUSEADDR`, as this does, so both may have the port.
#[derive(Debug)]
pub struct Port {
    _socket: TcpSocket,
    number: u16,
}

impl Port {
    pub fn reserve() -> Port {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_reuseaddr(true).expect("a socket that shares its port");
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
        let number = socket.local_addr().expect("its address").port();
        Port { _socket: socket, number }
    }

    pub fn number(&self) -> u16 {
        self.number
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn nobody_answers_before_a_server_is_started_there() {
        let port = Port::reserve();
        let address = ("127.0.0.1", port.number());
        assert_eq!(TcpStream::connect(address).unwrap_err().kind(), ErrorKind::ConnectionRefused);
        let server = TcpListener::bind(address).unwrap();
        let (client, _) = (TcpStream::connect(address).unwrap(), server.accept().unwrap());
        drop((client, server));
        TcpListener::bind(address).unwrap();
    }
}
