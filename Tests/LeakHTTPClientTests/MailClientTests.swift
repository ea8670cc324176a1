#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    @testable import LeakHTTPClient

    /// Mail to a server that follows the protocol, RFC 5321 §4.1.
    @Suite struct MailClientTests {
        /// A mail server on 127.0.0.1 for one connection, which records the lines that it gets.
        private final class MailPeer: @unchecked Sendable {
            // `Sendable` is unchecked: `lines` is accessed only while `lock` is locked.

            let port: UInt16
            private let lock = NSLock()
            private var lines: [String] = []
            private let listener: Int32

            var received: [String] { lock.withLock { lines } }

            /// - Parameter rejects: the beginning of a line that is answered with 550.
            init(rejecting rejects: String? = nil) throws {
                let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                var name = sockaddr_in()
                name.sin_family = sa_family_t(AF_INET)
                name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let isListening = unsafe withUnsafeMutablePointer(to: &name) { name in
                    unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                        unsafe bind(listener, name, length) == 0 && Glibc.listen(listener, 4) == 0
                            && getsockname(listener, name, &length) == 0
                    }
                }
                try #require(isListening)
                self.listener = listener
                port = UInt16(bigEndian: name.sin_port)
                let thread = Thread { [self] in serve(rejects) }
                thread.start()
            }

            private func serve(_ rejects: String?) {
                let client = accept(listener, nil, nil)
                close(listener)
                guard client >= 0 else { return }
                defer { close(client) }
                func answer(_ text: String) {
                    let bytes = Array("\(text)\r\n".utf8)
                    _ = unsafe Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                }
                answer("220 ready")
                var buffer: [UInt8] = []
                var isMail = false
                while true {
                    guard let end = buffer.firstIndex(of: 10) else {
                        var piece = [UInt8](repeating: 0, count: 4096)
                        let count = unsafe recv(client, &piece, piece.count, 0)
                        guard count > 0 else { return }
                        buffer += piece[..<count]
                        continue
                    }
                    let line = String(decoding: buffer[..<end].prefix { $0 != 13 }, as: UTF8.self)
                    buffer.removeFirst(end + 1)
                    lock.withLock { lines.append(line) }
                    if isMail {
                        if line == "." {
                            isMail = false
                            answer("250 stored")
                        }
                    } else if let rejects, line.hasPrefix(rejects) {
                        answer("550 no")
                    } else if line.hasPrefix("EHLO") {
                        answer("250-mail.example\r\n250 AUTH PLAIN")
                    } else if line.hasPrefix("AUTH PLAIN") {
                        answer(line.split(separator: " ").count == 3 ? "235 welcome" : "334 ")
                    } else if line == "DATA" {
                        isMail = true
                        answer("354 go on")
                    } else if line == "QUIT" {
                        answer("221 bye")
                    } else {
                        answer(line.hasPrefix("MAIL") || line.hasPrefix("RCPT") ? "250 ok" : "235 welcome")
                    }
                }
            }
        }

        private func client(requiresTLS: Bool = false, isPublic: Bool = false) throws -> MailClient {
            var options = CurlClient.Options()
            options.requiresPublicAddress = isPublic
            return try MailClient(options, requiresTLS: requiresTLS)
        }

        private func send(to peer: MailPeer, by client: MailClient) throws(CurlError) {
            try client.send(
                Array("Subject: x\r\n\r\n.dot\r\nend\r\n".utf8), from: "a@b.example",
                to: ["c@d.example", "e@f.example"], over: "smtp://127.0.0.1:\(peer.port)",
                user: (name: "ann", password: "secret"))
        }

        @Test func `a mail reaches each recipient whole, after the login`() throws {
            let peer = try MailPeer()
            try send(to: peer, by: client())
            let lines = peer.received
            #expect(lines.contains("MAIL FROM:<a@b.example>"))
            #expect(
                lines.filter { $0.hasPrefix("RCPT") } == ["RCPT TO:<c@d.example>", "RCPT TO:<e@f.example>"])
            #expect(lines.contains { $0.hasSuffix("AGFubgBzZWNyZXQ=") })
            let start = try #require(lines.firstIndex(of: "DATA"))
            // A line that begins with a period gets a second period: RFC 5321 §4.5.2.
            #expect(lines[(start + 1)...].prefix(5) == ["Subject: x", "", "..dot", "end", "."])
        }

        @Test(arguments: ["MAIL", "RCPT TO:<e@", "AUTH", "DATA"])
        func `an error of the server is an error`(rejected: String) throws {
            let peer = try MailPeer(rejecting: rejected)
            let client = try client()
            #expect(throws: CurlError.self) { try send(to: peer, by: client) }
            #expect(!peer.received.contains("."))
        }

        @Test func `without TLS no mail and no password is sent to a server of the internet`() throws {
            let peer = try MailPeer()
            let client = try client(requiresTLS: true)
            #expect(throws: CurlError.self) { try send(to: peer, by: client) }
            #expect(!peer.received.contains { $0.hasPrefix("AUTH") || $0.hasPrefix("MAIL") })
        }

        @Test func `a server of this machine is not reached if the address must be public`() throws {
            let peer = try MailPeer()
            let client = try client(isPublic: true)
            let error = try #require(throws: CurlError.self) { try send(to: peer, by: client) }
            #expect(error.cause == .addressNotPublic)
        }
    }
#endif
