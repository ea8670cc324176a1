import Foundation
import LeakHTTPClient
import Testing

/// The program as its operator sees it: its first lines, exit codes, keys and tokens, one clear line for each error, and an
/// export.
@Suite struct ServeTests {
    @Test
    func `the first line of the output names the address, and only the first start prints generated secrets`()
        throws
    {
        let folder = try TemporaryFolder()
        let data = folder.path + "/new/data"
        let generated = ["COLLECTOR_INGEST_KEY": "", "COLLECTOR_ACCESS_TOKEN": ""]
        let first = try CollectorProcess(data: data, environment: generated)
        #expect(first.startupOutput.hasPrefix("listening on http://127.0.0.1:\(first.port)\n"))
        let key = try #require(Self.word(after: "ingest key (shown once)", in: first.startupOutput))
        #expect(first.startupOutput.contains("access token (shown once)"))
        #expect(first.startupOutput.contains("http://localhost:\(first.port)/sign-in?code="))
        #expect(try Self.post(to: first, key: key) == 200)
        first.kill(SIGTERM)
        #expect(first.wait() == 0)

        let second = try CollectorProcess(data: data, environment: generated)
        #expect(!second.startupOutput.contains("shown once"))
        #expect(second.startupOutput.contains("/sign-in?code="))
        #expect(try Self.post(to: second, key: key) == 200)
        second.kill(SIGINT)
        #expect(second.wait() == 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: data) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(data)/\(name)"))
            #expect(bytes.range(of: Data(key.utf8)) == nil, "the key itself is in \(name)")
        }
    }

    @Test(arguments: [[], ["--log", "json"]])
    func `a request with a wrong access token is logged with its sender's address, without the token`(
        flags: [String]
    ) throws {
        let folder = try TemporaryFolder()
        let running = try CollectorProcess(
            data: folder.path, flags: flags, environment: ["COLLECTOR_ACCESS_LOG": "text"])
        let (client, guess) = (try HTTPClient(), "hunter2-hunter2-hunter2")
        let form = try client.post(
            Array("token=\(guess)".utf8), to: running.address + "/sign-in",
            fields: [HTTPField("Content-Type", "application/x-www-form-urlencoded")])
        #expect(form.status == 403)
        let api = try client.get(
            running.address + "/api/v1/summary", fields: [HTTPField("Authorization", "Bearer \(guess)")])
        #expect(api.status == 401)
        running.kill(SIGTERM)
        #expect(running.wait() == 0)
        let log = running.restOfErrors + running.restOfOutput
        #expect(log.contains("an access token that is not valid, from 127.0.0.1"), "\(log)")
        #expect(!log.contains(guess), "\(log)")
    }

    @Test func `a second server on the same data folder or port does not start`() throws {
        let (one, other) = (try TemporaryFolder(), try TemporaryFolder())
        let running = try CollectorProcess(data: one.path)
        let folder = try CollectorProcess.run(
            ["--port", "0", "--data", one.path], environment: Self.publicEnvironment)
        #expect(folder.code == 3)
        #expect(Self.isOneLine(folder.errors), "\(folder.errors)")
        let port = try CollectorProcess.run(
            ["--port", "\(running.port)", "--data", other.path], environment: Self.publicEnvironment)
        #expect(port.code == 3)
        #expect(Self.isOneLine(port.errors) && port.errors.contains("\(running.port)"), "\(port.errors)")
        #expect(try Self.post(to: running, key: CollectorProcess.key) == 200, "the first still works")
    }

    @Test(arguments: [
        (["--port", "nope"], "--port is “nope”, must be a number from 0 to 65535", 2),
        (["--host", "no.such.host.invalid"], "no.such.host.invalid", 1),
        (["--host", "192.0.2.1"], "192.0.2.1", 1),
        (["--public", "/nonexistent"], "/nonexistent", 2),
        (["--data", "/dev/null/data"], "/dev/null/data", 1),
        (["--data", "/dev/null"], "cannot make the data folder /dev/null: Not a directory", 1),
        (["--public", "/tmp"], "--public names /tmp, which has no", 2),
        (["--log", "xml"], "--log is “xml”, must be text or json", 2),
        (["--url", "https://x:99999"], "--url must be an address without a path", 2),
        (["--url", "http://[::1"], "--url must be an address without a path", 2),
        (["fly"], "there is no command “fly”", 2),
    ])
    func `a wrong setting gives a one-line error and the documented exit code`(
        arguments: [String], words: String, code: Int32
    ) throws {
        let folder = try TemporaryFolder()
        let data = arguments.contains("--data") || arguments == ["fly"] ? [] : ["--data", folder.path]
        let port = arguments.contains("--port") || arguments == ["fly"] ? [] : ["--port", "0"]
        let run = try CollectorProcess.run(
            arguments + data + port,
            environment: arguments.contains("--public") ? [:] : Self.publicEnvironment)
        #expect(run.code == code)
        #expect(run.output.isEmpty)
        #expect(Self.isOneLine(run.errors), "\(run.errors)")
        #expect(run.errors.contains(words), "\(run.errors)")
    }

    @Test(arguments: [["--public", "/tmp"], ["--known-leaks", "/nowhere/known.json"]])
    func `an unusable folder or file in a setting is reported before the database is opened`(
        arguments: [String]
    ) throws {
        let folder = try TemporaryFolder()
        let run = try CollectorProcess.run(
            ["--data", folder.path, "--port", "0"] + arguments,
            environment: arguments.contains("--public") ? [:] : Self.publicEnvironment)
        #expect(run.code == 2 && run.errors.contains(arguments[1]), "\(run)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func `a file that is not the database of a collector is refused and not changed`() throws {
        let contents: [(String, Data)] = [
            ("garbage", Data(repeating: 0x41, count: 8192)), ("text", Data("hello\n".utf8)),
        ]
        for (name, bytes) in contents {
            let folder = try TemporaryFolder()
            let file = URL(fileURLWithPath: folder.path + "/leaks.sqlite")
            try bytes.write(to: file)
            let run = try CollectorProcess.run(
                ["--port", "0", "--data", folder.path], environment: Self.publicEnvironment)
            #expect(run.code == 1, "\(name)")
            #expect(Self.isOneLine(run.errors) && run.errors.contains("leaks.sqlite"), "\(run.errors)")
            #expect(try Data(contentsOf: file) == bytes)
        }
    }

    @Test func `the health command says whether a collector answers`() throws {
        let folder = try TemporaryFolder()
        let running = try CollectorProcess(data: folder.path)
        let well = try CollectorProcess.health(["--port", "\(running.port)"])
        #expect(well.code == 0 && well.output == "ok\n")
        // The default data folder may contain the address of another collector, so this command uses a missing folder.
        let every = try CollectorProcess.health(
            environment: [
                "COLLECTOR_DATA": folder.path + "/none", "COLLECTOR_HOST": "0.0.0.0",
                "COLLECTOR_PORT": "\(running.port)",
                "http_proxy": "http://127.0.0.1:1",
            ])
        #expect(every.code == 0, "\(every.errors)")
        running.kill(SIGTERM)
        running.wait()
        let gone = try CollectorProcess.health(["--port", "\(running.port)"])
        #expect(gone.code == 1)
        #expect(Self.isOneLine(gone.errors), "\(gone.errors)")
    }

    @Test func `ingest keys can be created, listed and revoked while a server runs`() throws {
        let folder = try TemporaryFolder()
        let running = try CollectorProcess(data: folder.path)
        let made = try CollectorProcess.run([
            "key", "create", "--name", "shop", "--app", "shop", "--data", folder.path,
        ])
        #expect(made.code == 0)
        let key = try #require(made.output.split(separator: "\n").last.map(String.init))
        let number = try #require(made.output.split(separator: " ").dropFirst().first.map(String.init))
        #expect(try eventually { try Self.post(to: running, key: key) == 200 })
        let listed = try CollectorProcess.run(["key", "list", "--data", folder.path])
        #expect(listed.output.contains("shop") && !listed.output.contains(key))
        #expect(try CollectorProcess.run(["key", "revoke", number, "--data", folder.path]).code == 0)
        #expect(try eventually { try Self.post(to: running, key: key) == 403 })
        let again = try CollectorProcess.run(["key", "revoke", number, "--data", folder.path])
        #expect(again.code == 1 && Self.isOneLine(again.errors))
    }

    @Test func `a command that needs a database does not create one`() throws {
        let folder = try TemporaryFolder()
        for command in [
            ["key", "list"], ["key", "create"], ["token", "list"], ["export", folder.path + "/site"],
        ] {
            let run = try CollectorProcess.run(
                command + ["--data", folder.path + "/none"], environment: Self.publicEnvironment)
            #expect(run.code == 1 && Self.isOneLine(run.errors), "\(run.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test(arguments: [
        ["--name", "two\nlines"], ["--name", "\u{1B}[31mred"], ["--name", ""], ["--app", ""],
        ["--app", String(repeating: "a", count: 257)],
    ])
    func `an ingest key with an empty or unprintable name, or with an invalid app ID, is refused`(
        flags: [String]
    ) throws {
        let folder = try TemporaryFolder()
        let running = try CollectorProcess(data: folder.path)
        let run = try CollectorProcess.run(["key", "create", "--data", folder.path] + flags)
        #expect(run.code == 2 && Self.isOneLine(run.errors), "\(run.errors)")
        #expect(running.isRunning)
    }

    @Test
    func `a revoked secret in the environment, or the same secret as key and token, gives a one-line error`()
        throws
    {
        let folder = try TemporaryFolder()
        func start(_ key: String, _ token: String = CollectorProcess.token) throws -> CollectorProcess {
            try CollectorProcess(
                data: folder.path,
                environment: ["COLLECTOR_INGEST_KEY": key, "COLLECTOR_ACCESS_TOKEN": token])
        }
        let (first, second) = (String(repeating: "a", count: 40), String(repeating: "b", count: 40))
        let one = try start(first)
        one.kill(SIGTERM)
        one.wait()
        let two = try start(second)
        #expect(try eventually { try Self.post(to: two, key: first) == 403 })
        #expect(try Self.post(to: two, key: second) == 200)
        two.kill(SIGTERM)
        two.wait()
        for (key, words) in [
            (first, "was revoked on"), (CollectorProcess.token, "has the value of another secret"),
        ] {
            let run = try CollectorProcess.run(
                ["--port", "0", "--data", folder.path],
                environment: Self.publicEnvironment.merging([
                    "COLLECTOR_INGEST_KEY": key, "COLLECTOR_ACCESS_TOKEN": CollectorProcess.token,
                ]) { $1 })
            #expect(
                run.code == 2 && Self.isOneLine(run.errors) && run.errors.contains(words), "\(run.errors)")
            #expect(!run.errors.contains(key))
        }
    }

    @Test func `revoking an access token ends the sign-in sessions that were opened with it`() throws {
        let folder = try TemporaryFolder()
        let running = try CollectorProcess(data: folder.path)
        let made = try CollectorProcess.run([
            "token", "create", "--name", "ann", "--role", "viewer", "--data", folder.path,
        ])
        let token = try #require(made.output.split(separator: "\n").last.map(String.init))
        let number = try #require(made.output.split(separator: " ").dropFirst().first.map(String.init))
        func signIn() throws -> HTTPResponse {
            try HTTPClient().post(
                Array("token=\(token)".utf8), to: "\(running.address)/sign-in",
                fields: [HTTPField("Content-Type", "application/x-www-form-urlencoded")])
        }
        var cookie: String?
        #expect(
            try eventually {
                cookie = try signIn().fields.first { $0.name.lowercased() == "set-cookie" }?.value
                return cookie != nil
            })
        let session = HTTPField("Cookie", String((cookie ?? "").prefix { $0 != ";" }))
        func look() throws -> Int { try HTTPClient().get("\(running.address)/", fields: [session]).status }
        #expect(try look() == 200)
        #expect(try CollectorProcess.run(["token", "revoke", number, "--data", folder.path]).code == 0)
        #expect(try eventually { try look() == 303 })
    }

    @Test func `the export command writes pages without broken links`() throws {
        let (folder, target) = (try TemporaryFolder(), try TemporaryFolder())
        let running = try CollectorProcess(data: folder.path)
        #expect(try Self.post(to: running, key: CollectorProcess.key) == 200)
        let run = try CollectorProcess.run(
            ["export", target.path + "/site", "--data", folder.path], environment: Self.publicEnvironment)
        #expect(run.code == 0, "\(run.errors)")
        var seen = 0
        let root = URL(fileURLWithPath: target.path + "/site")
        let files = try #require(FileManager.default.enumerator(atPath: root.path)?.allObjects as? [String])
        for file in files where file.hasSuffix(".html") {
            let page = try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
            let base = root.appendingPathComponent(file).deletingLastPathComponent()
            for part in page.components(separatedBy: "href=\"").dropFirst() {
                let link = part.prefix { $0 != "\"" }
                guard !link.hasPrefix("#") else { continue }
                let place = base.appendingPathComponent(String(link.prefix { $0 != "#" })).standardizedFileURL
                    .path
                #expect(FileManager.default.fileExists(atPath: place), "\(file) links to \(link)")
                seen += 1
            }
        }
        #expect(seen > 10)
    }

    // MARK: Support

    private static let publicEnvironment = ["COLLECTOR_PUBLIC": CollectorProcess.publicFolder]

    private static func isOneLine(_ text: String) -> Bool {
        text.hasPrefix("collector: ") && text.hasSuffix("\n") && text.filter(\.isNewline).count == 1
    }

    private static func word(after label: String, in text: String) -> String? {
        text.components(separatedBy: label).dropFirst().first?
            .split(whereSeparator: \.isWhitespace).first.map(String.init)
    }

    private static func post(to collector: CollectorProcess, key: String) throws -> Int {
        try HTTPClient().post(
            Array(#"{"class":"Cart"}"#.utf8), to: "\(collector.address)/api/v1/reports",
            fields: [
                HTTPField("Authorization", "Bearer \(key)"), HTTPField("Content-Type", "application/json"),
            ]
        ).status
    }
}
