#if os(Linux)
    import Foundation

    /// A certificate authority of the tests and the certificates that it issued, made by the `openssl` command in a folder that
    /// is removed with the object. The initializer blocks its thread for about a tenth of a second.
    final class Certificates: Sendable {
        enum Leaf: String, CaseIterable, Sendable {
            case valid, expired
            /// A certificate for a host other than `localhost`.
            case elsewhere
        }

        let folder: String
        /// The authority's own certificate, in PEM form.
        var authority: String { "\(folder)/authority.pem" }

        init() throws {
            folder = NSTemporaryDirectory() + "/certificates-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(Self.settings.utf8).write(to: URL(fileURLWithPath: "\(folder)/ca.cnf"))
            let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout"
            _ = try run(
                "openssl req -x509 -subj '/CN=Authority' -days 2 -addext basicConstraints=critical,CA:TRUE "
                    + "\(key) authority.key -out authority.pem && : >index.txt")
            for leaf in Leaf.allCases {
                let names = leaf == .elsewhere ? "DNS:elsewhere.example" : "DNS:localhost,IP:127.0.0.1"
                let end = leaf == .expired ? "-startdate 20200101000000Z -enddate 20200102000000Z" : "-days 2"
                _ = try run(
                    "openssl req -subj '/CN=leaf' -addext subjectAltName=\(names) \(key) \(leaf).key -out \(leaf).csr "
                        + "&& openssl ca -config ca.cnf -batch -notext -cert authority.pem -keyfile authority.key "
                        + "-in \(leaf).csr -out \(leaf).pem \(end)")
            }
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func certificate(of leaf: Leaf) -> String { "\(folder)/\(leaf).pem" }
        func key(of leaf: Leaf) -> String { "\(folder)/\(leaf).key" }

        /// Returns the pin of a leaf's key, computed with the commands of the documentation.
        func pin(of leaf: Leaf) throws -> String {
            try run(
                "openssl x509 -in \(leaf).pem -noout -pubkey | openssl pkey -pubin -outform der "
                    + "| openssl dgst -sha256 -binary | openssl base64 | sed 's,^,sha256//,'"
            ).trimmingCharacters(in: .newlines)
        }

        /// - Returns: the output of the command.
        private func run(_ command: String) throws -> String {
            struct Failed: Error { let command: String, output: String }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "cd \"$0\" && { \(command); } 2>errors", folder]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                let errors = (try? String(contentsOfFile: "\(folder)/errors", encoding: .utf8)) ?? ""
                throw Failed(command: command, output: errors)
            }
            return text
        }

        /// `openssl ca` can set both dates; `openssl x509` can do so only in version 3.4 and later.
        private static let settings = """
            [ca]
            default_ca = tests
            [tests]
            dir = .
            database = ./index.txt
            new_certs_dir = .
            rand_serial = yes
            default_md = sha256
            policy = any
            unique_subject = no
            copy_extensions = copy
            [any]
            commonName = supplied

            """
    }
#endif
