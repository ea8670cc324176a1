import Testing

@testable import LeakHTTPServer

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct ServerErrorTests {
    @Test(arguments: [
        (
            EADDRINUSE, ServerError.portInUse(host: "::", port: 80),
            "port 80 on :: is in use: stop what listens there or choose another port"
        ),
        (
            EACCES, .portNotAllowed(port: 80),
            "port 80 is not allowed for this user: choose one from 1024 to 65535"
        ),
        (
            EADDRNOTAVAIL, .foreignHost("::"),
            ":: is not an address of this machine: use 127.0.0.1, or 0.0.0.0 for all its networks"
        ),
        (
            EAFNOSUPPORT, .foreignHost("::"),
            ":: is not an address of this machine: use 127.0.0.1, or 0.0.0.0 for all its networks"
        ),
        (EMFILE, .system(message: "Too many open files"), "cannot listen: Too many open files"),
    ])
    func `each reason why a server cannot listen gives an error of one line`(
        number: Int32, error: ServerError, line: String
    ) {
        #expect(ServerError(SystemError(number: number), host: "::", port: 80) == error)
        #expect(error.description == line)
    }

    @Test func `a server on all IPv4 and IPv6 addresses with port 0 always finds a free port`() throws {
        for _ in 0..<50 {
            let server = try Server(.init(host: "*", port: 0), service: EchoService())
            #expect(server.port > 0)
        }
    }
}
