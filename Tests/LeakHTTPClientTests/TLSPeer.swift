#if os(Linux)
    import Dispatch
    import Foundation

    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif

    /// A TLS server on 127.0.0.1, `openssl s_server`, that sends one HTTP answer to one connection.
    final class TLSPeer: @unchecked Sendable {
        // `Sendable` is unchecked: `printed` is accessed only while `lock` is locked; all other state is set once.
        private let process = Process()
        /// The input of `s_server`, which stays open: at its end, `s_server` would close the connection before it has read the
        /// received bytes.
        private let input = Pipe()
        private let lock = NSLock()
        private var printed = ""
        private let listens = DispatchSemaphore(value: 0)
        private let ended = DispatchSemaphore(value: 0)

        struct NotListening: Error { let output: String }

        /// Starts the server, and blocks until it listens.
        init(_ certificates: Certificates, _ leaf: Certificates.Leaf, arguments: [String] = []) throws {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments =
                [
                    "openssl", "s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-cert",
                    certificates.certificate(of: leaf),
                    "-key", certificates.key(of: leaf),
                ] + arguments
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = pipe
            process.standardInput = input
            try process.run()
            // The answer waits in the pipe for the connection. `s_server` would interpret the second line of its input as a
            // command if it began with certain letters.
            input.fileHandleForWriting.write(Data("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))
            Thread { [self] in
                while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
                    lock.withLock { printed += String(decoding: data, as: UTF8.self) }
                    if port != nil { listens.signal() }
                }
                ended.signal()
            }.start()
            guard listens.wait(timeout: .now() + 60) == .success else {
                stop()
                throw NotListening(output: lock.withLock { printed })
            }
        }

        /// The port that the server prints, once the line is complete.
        var port: Int? {
            let output = lock.withLock { printed }
            guard let start = output.range(of: "ACCEPT 127.0.0.1:"),
                output[start.upperBound...].contains("\n")
            else { return nil }
            return Int(output[start.upperBound...].prefix { $0.isNumber })
        }

        /// Waits until the connection has ended.
        ///
        /// - Returns: the output of the server, which contains the decrypted bytes of the connection.
        func output(after seconds: Int = 60) -> String {
            if ended.wait(timeout: .now() + .seconds(seconds)) == .timedOut { stop() }
            return lock.withLock { printed }
        }

        /// Ends the process with SIGKILL, because a child of a thread that blocks signals blocks them as well.
        private func stop() { kill(process.processIdentifier, SIGKILL) }
    }
#endif
