import Foundation
import LeakHTTPClient
import Testing

/// The program as container engines run it: with their settings and secrets, with logs as JSON, with health checks that do not
/// get the server's flags, with users that did not exist when the image was built, and with a limited time to stop.
@Suite struct ContainerTests {
    // MARK: Service links of Kubernetes

    /// The variables that Kubernetes gives every pod of a namespace that has a Service named collector.
    /// https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
    private static let serviceLinks = [
        "COLLECTOR_SERVICE_HOST": "10.0.0.1", "COLLECTOR_SERVICE_PORT": "8080",
        "COLLECTOR_SERVICE_PORT_HTTP": "8080", "COLLECTOR_PORT": "tcp://10.0.0.1:8080",
        "COLLECTOR_PORT_8080_TCP": "tcp://10.0.0.1:8080", "COLLECTOR_PORT_8080_TCP_PROTO": "tcp",
        "COLLECTOR_PORT_8080_TCP_PORT": "8080", "COLLECTOR_PORT_8080_TCP_ADDR": "10.0.0.1",
    ]

    @Test func `service links of Kubernetes leave the port unchanged, and a warning names the variable`()
        throws
    {
        let folder = try TemporaryFolder()
        // No machine has this address, so the start fails after the settings were read.
        let run = try CollectorProcess.run(
            ["--data", folder.path, "--host", "192.0.2.1"],
            environment: Self.serviceLinks.merging(["COLLECTOR_PUBLIC": CollectorProcess.publicFolder]) { $1 }
        )
        #expect(run.code == 1)
        #expect(run.errors.contains("warning: COLLECTOR_PORT is “tcp://10.0.0.1:8080”"), "\(run.errors)")
        #expect(run.errors.contains("ignored: listening on port 8080"), "\(run.errors)")
        #expect(run.errors.contains("192.0.2.1"), "\(run.errors)")
        let health = try CollectorProcess.run(
            ["health", "--data", folder.path + "/none", "--host", "192.0.2.1"], environment: Self.serviceLinks
        )
        #expect(health.code == 1 && health.errors.contains("http://192.0.2.1:8080/"), "\(health.errors)")
    }

    // MARK: Secrets in files

    private static let secretVariables = [
        "COLLECTOR_INGEST_KEY", "COLLECTOR_ACCESS_TOKEN", "COLLECTOR_DATABASE_URL",
    ]

    @Test(arguments: ["", "\n", "\r\n"])
    func `secrets are read from files, without the line end`(end: String) throws {
        let folder = try TemporaryFolder()
        let (key, token) = (folder.path + "/key", folder.path + "/token")
        try Data((CollectorProcess.key + end).utf8).write(to: URL(fileURLWithPath: key))
        try Data((CollectorProcess.token + end).utf8).write(to: URL(fileURLWithPath: token))
        let running = try CollectorProcess(
            data: folder.path + "/data",
            environment: [
                "COLLECTOR_INGEST_KEY": "", "COLLECTOR_INGEST_KEY_FILE": key,
                "COLLECTOR_ACCESS_TOKEN": "", "COLLECTOR_ACCESS_TOKEN_FILE": token,
            ])
        #expect(!running.startupOutput.contains("shown once"))
        let client = try HTTPClient()
        let answer = try client.post(
            Array(#"{"class":"Cart"}"#.utf8), to: running.address + "/api/v1/reports",
            fields: [
                HTTPField("Authorization", "Bearer \(CollectorProcess.key)"),
                HTTPField("Content-Type", "application/json"),
            ])
        #expect(answer.status == 200)
        let list = try client.get(
            running.address + "/api/v1/apps",
            fields: [HTTPField("Authorization", "Bearer \(CollectorProcess.token)")])
        #expect(list.status == 200)
    }

    @Test(arguments: secretVariables)
    func `a secret that is given as a value and as a file gives a one-line error`(variable: String) throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/secret"
        try Data(CollectorProcess.key.utf8).write(to: URL(fileURLWithPath: file))
        let run = try Self.start(folder, [variable: CollectorProcess.key, variable + "_FILE": file])
        #expect(run.code == 2)
        #expect(
            run.errors == "collector: \(variable)_FILE and \(variable) are both set; set one of them\n")
    }

    @Test(
        arguments: secretVariables,
        [
            (Data?.none, "cannot be read: No such file or directory"), (Data(), "is empty"),
            (Data("\n".utf8), "is empty"), (Data([0xFF, 0xFE]), "is not text"),
            (Data(repeating: 0x61, count: 70_000), "has more than 65536 bytes"),
        ])
    func `an unusable secret file gives a one-line error`(
        variable: String, file: (contents: Data?, words: String)
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/secret"
        try file.contents?.write(to: URL(fileURLWithPath: path))
        let run = try Self.start(folder, [variable + "_FILE": path])
        #expect(run.code == 2)
        #expect(
            run.errors.hasPrefix("collector: \(variable)_FILE names \(path), which \(file.words)"),
            "\(run.errors)")
        #expect(run.errors.filter(\.isNewline).count == 1)
    }

    @Test func `an invalid secret in a file is reported with the variable of the file, never with the value`()
        throws
    {
        let folder = try TemporaryFolder()
        let path = folder.path + "/secret"
        try Data("hunter2\n".utf8).write(to: URL(fileURLWithPath: path))
        let run = try Self.start(folder, ["COLLECTOR_ACCESS_TOKEN_FILE": path])
        #expect(run.code == 2)
        #expect(
            run.errors == "collector: COLLECTOR_ACCESS_TOKEN_FILE is 7 characters, must be at least 16\n")
    }

    // MARK: Logs as JSON

    @Test(arguments: [true, false])
    func `with --log json every line is JSON, and secrets are logged only with --log-secrets yes`(shown: Bool)
        throws
    {
        let folder = try TemporaryFolder()
        let running = try CollectorProcess(
            data: folder.path, flags: ["--log", "json"] + (shown ? ["--log-secrets", "yes"] : []),
            environment: [
                "COLLECTOR_INGEST_KEY": "", "COLLECTOR_ACCESS_TOKEN": "", "COLLECTOR_ACCESS_LOG": "json",
            ])
        let address = running.address
        if !shown {
            // If the log shows no key, an operator creates one with this command.
            let made = try CollectorProcess.run(["key", "create", "--data", folder.path])
            #expect(made.code == 0 && made.output.contains("shown once"))
        }
        _ = try HTTPClient().get(address + "/healthz")
        running.kill(SIGTERM)
        #expect(running.wait() == 0)
        let output = running.startupOutput + running.restOfOutput
        let lines = (output + running.restOfErrors).split(separator: "\n")
        #expect(lines.contains { $0.contains(#""message":"listening on http://127.0.0.1:"#) })
        #expect(lines.contains { $0.contains(#""message":"stopped""#) })
        for line in lines {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
        #expect(output.contains("sign-in?code=") == shown)
        #expect(output.contains("ingest_key") == shown)
        #expect(output.contains("access_token") == shown)
        let keys = try CollectorProcess.run(["key", "list", "--data", folder.path]).output
        #expect(keys.split(separator: "\n").count == 1, "no key was created without being printed: \(keys)")
    }

    @Test(arguments: [
        ["--log", "json", "--port", "nope"], ["--log=json", "--no-such-flag"], ["--log", "json", "now"],
        ["serve", "--log", "json", "--data", "/dev/null"],
    ])
    func `with --log json a failed start is logged as JSON`(arguments: [String]) throws {
        let run = try CollectorProcess.run(
            arguments, environment: ["COLLECTOR_PUBLIC": CollectorProcess.publicFolder])
        #expect(run.code != 0)
        let object = try JSONSerialization.jsonObject(with: Data(run.errors.utf8)) as? [String: Any]
        #expect(object?["level"] as? String == "error")
        #expect(object?["message"] as? String != nil)
    }

    // MARK: Health

    @Test func `the health command finds the port that a flag gave the server`() throws {
        let folder = try TemporaryFolder()
        let running = try CollectorProcess(data: folder.path)
        // The environment of an image names a port, which the flag overrides.
        let image = ["COLLECTOR_HOST": "0.0.0.0", "COLLECTOR_PORT": "1", "COLLECTOR_DATA": folder.path]
        let health = try CollectorProcess.health(environment: image)
        #expect(health.code == 0 && health.output == "ok\n", "\(health.errors)")
        let other = try CollectorProcess.run(["health", "--port", "1"], environment: image)
        #expect(other.code == 1, "the flag --port of health overrides the port of the server")
        running.kill(SIGTERM)
        running.wait()
        let gone = try CollectorProcess.health(environment: image)
        #expect(gone.code == 1 && gone.errors.contains("http://127.0.0.1:1/"), "\(gone.errors)")
    }

    @Test func `the health command does not need the secrets of the server`() throws {
        let folder = try TemporaryFolder()
        let running = try CollectorProcess(data: folder.path)
        let health = try CollectorProcess.health(
            ["--data", folder.path], environment: ["COLLECTOR_INGEST_KEY_FILE": "/nowhere/key"])
        #expect(health.code == 0, "\(health.errors)")
        #expect(running.isRunning)
    }

    // MARK: Users

    @Test func `the error about an unwritable folder names the user and the folder`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/data"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o500])
        let user = getuid() == 0 ? 12345 : getuid()
        for data in [path, path + "/new"] {
            let run = try CollectorProcess.run(
                ["--port", "0", "--data", data],
                environment: ["COLLECTOR_PUBLIC": CollectorProcess.publicFolder],
                user: user)
            #expect(run.code == 1)
            #expect(run.errors.contains("uid \(user)"), "\(run.errors)")
            #expect(run.errors.contains("the folder \(path) "), "\(run.errors)")
            #expect(run.errors.contains("mode 0500"), "\(run.errors)")
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can run the program as another user"))
    func `a data folder of group 0 with mode 770 can be used by one user after another`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/data"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o770, .ownerAccountID: 10001, .groupOwnerAccountID: 0])
        for user in [12345, 10001, 54321] as [uid_t] {
            let running = try CollectorProcess(data: path, user: user)
            #expect(try HTTPClient().get(running.address + "/readyz").status == 200)
            running.kill(SIGTERM)
            #expect(running.wait() == 0)
        }
    }

    @Test(arguments: ["compose.yaml", "compose.postgresql.yaml", "compose.tls.yaml"])
    func `the stop_grace_period of a compose file is longer than the 10 seconds that a stop may take`(
        file: String
    ) throws {
        let root = URL(fileURLWithPath: CollectorProcess.publicFolder).deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.contains("stop_grace_period:") })
        let seconds = try #require(Int(line.filter(\.isNumber)))
        #expect(line.hasSuffix("s") && seconds > 10)
    }

    // MARK: Support

    private static func start(_ folder: TemporaryFolder, _ environment: [String: String]) throws -> (
        code: Int32, output: String, errors: String
    ) {
        try CollectorProcess.run(
            ["--port", "0", "--data", folder.path + "/data"],
            environment: environment.merging(["COLLECTOR_PUBLIC": CollectorProcess.publicFolder]) { $1 })
    }
}
