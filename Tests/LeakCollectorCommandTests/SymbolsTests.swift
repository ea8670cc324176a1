import Foundation
import LeakHTTPClient
import LeakMessage
import LeakReporter
import Testing

/// `collector symbols`: files that it accepts and refuses, and leaks of stripped libraries, which get the names of their
/// functions.
@Suite(.enabled(if: hasSymbolTools, "clang and LLVM's tools are needed: apt-get install llvm"))
struct SymbolsTests {
    private let folder: TemporaryFolder
    private let collector: CollectorProcess

    init() throws {
        folder = try TemporaryFolder()
        collector = try CollectorProcess(data: folder.path + "/data")
    }

    fileprivate struct Failed: Error { let output: String }

    @discardableResult
    fileprivate static func shell(_ command: String) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(output: output) }
        return output
    }

    private func symbols(_ arguments: String...) throws -> (code: Int32, output: String, errors: String) {
        try CollectorProcess.run(
            ["symbols"] + arguments + ["--url", collector.address],
            environment: [
                "COLLECTOR_ACCESS_TOKEN": CollectorProcess.token,
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            ])
    }

    private func leaks() throws -> [[String: Any]] {
        let answer = try HTTPClient().get(
            collector.address + "/api/v1/leaks?app=shop",
            fields: [HTTPField("Authorization", "Bearer \(CollectorProcess.token)")])
        let json = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        return try #require(json?["leaks"] as? [[String: Any]])
    }

    @Test(.timeLimit(.minutes(1))) func `symbols upload refuses a named pipe without waiting for data`()
        throws
    {
        let pipe = folder.path + "/pipe.sym"
        try Self.shell("mkfifo '\(pipe)'")
        let outcome = try symbols("upload", pipe)
        #expect(outcome.code == 1 && outcome.errors.contains("is not a regular file"), "\(outcome)")
    }

    // MARK: A library that leaks

    /// Returns the source of a library that calls back through two functions and an inlined function.
    ///
    /// - Parameter padding: number of functions before the others, so that each build has other offsets.
    private static func source(padding: Int) -> String {
        let extra = (0..<padding).map { "int padding_\($0)(int x) { return x * \($0 + 3) + x / \($0 + 7); }" }
        return extra.joined(separator: "\n") + """

            static int last;
            static inline __attribute__((always_inline)) void cart_notify(void (*leak)(void)) { leak(); last++; }
            __attribute__((noinline)) void cart_close(void (*leak)(void)) {
              cart_notify(leak);
              last++;
            }
            __attribute__((noinline)) void shop_close(void (*leak)(void)) { cart_close(leak); last++; }
            """
    }

    /// Builds a stripped library, runs it and reports the leak with the stack that the reporter captures.
    ///
    /// - Returns: the path of the library with its debug data.
    private func reportLeak(build: String, padding: Int) throws -> String {
        let place = "\(folder.path)/\(build)"
        try Self.shell("mkdir -p '\(place)/symbols'")
        try Self.source(padding: padding).write(toFile: "\(place)/cart.c", atomically: true, encoding: .utf8)
        let full = "\(place)/symbols/libcart.so"
        try Self.shell(
            """
            cd '\(place)' && clang -g -O1 -fPIC -shared -Wl,--build-id=sha1 -o symbols/libcart.so cart.c &&
            cp symbols/libcart.so libcart.so && strip --strip-all libcart.so
            """)
        let stack = try Self.stack(of: "\(place)/libcart.so")
        let elements = stack.map { "\"\($0)\"" }.joined(separator: ",")
        let body = """
            {"app":{"id":"shop","module":"Shop","version":"\(build)"},
             "reports":[{"class":"Shop.Cart","stack":[\(elements)]}]}
            """
        let answer = try HTTPClient().post(
            Array(body.utf8), to: collector.address + "/api/v1/reports",
            fields: [
                HTTPField("Authorization", "Bearer \(CollectorProcess.key)"),
                HTTPField("Content-Type", "application/json"),
            ])
        #expect(answer.status == 200)
        return full
    }

    private static let captured = Captured()

    private static func stack(of library: String) throws -> [String] {
        guard let handle = unsafe dlopen(library, RTLD_NOW | RTLD_LOCAL) else {
            throw Failed(output: unsafe String(cString: dlerror()))
        }
        defer { unsafe dlclose(handle) }
        guard let symbol = unsafe dlsym(handle, "shop_close") else { throw Failed(output: "no shop_close") }
        typealias Close = @convention(c) (@convention(c) () -> Void) -> Void
        let close = unsafe unsafeBitCast(symbol, to: Close.self)
        close { SymbolsTests.captured.set(LeakReporter.callStack(limit: 16)) }
        // Returns only the frames of the library, because the frames of the test depend on the test runner.
        return captured.take().filter { $0.contains("libcart.so") }
    }

    // MARK: Tests

    @Test func `a leak of two stripped builds becomes one leak when the symbols of both are uploaded`()
        throws
    {
        let first = try reportLeak(build: "1.0", padding: 0)
        let second = try reportLeak(build: "1.1", padding: 9)
        #expect(try leaks().count == 2)
        let before = try #require(try leaks().first?["stack"] as? [String])
        #expect(before.allSatisfy { $0.contains(" + 0x") })

        let upload = try symbols("upload", first, second)
        #expect(upload.code == 0 && upload.errors.isEmpty, "\(upload)")
        #expect(
            upload.output.contains(
                "stored; 1 leak got function names, and 1 of them was merged into another leak"), "\(upload)")
        let leak = try #require(try leaks().first)
        #expect(try leaks().count == 1 && leak["reports"] as? Int == 2)
        let stack = try #require(leak["stack"] as? [String])
        let names = stack.map { $0.split(separator: "(")[0].trimmingCharacters(in: .whitespaces) }
        #expect(
            names == [
                "at cart_notify in libcart.so", "at cart_close in libcart.so", "at shop_close in libcart.so",
            ])
        #expect(stack.allSatisfy { $0.contains("(cart.c:") })

        // Reports the leak again, in a build whose symbols are uploaded already.
        _ = try self.reportLeak(build: "1.1", padding: 9)
        #expect(try leaks().map { $0["reports"] as? Int } == [3])

        let list = try symbols("list")
        #expect(list.code == 0 && list.output.contains("2 images, "), "\(list)")
        let image = try #require(list.output.split(separator: " ").first)
        let removed = try symbols("remove", String(image))
        #expect(removed.code == 0 && removed.output == "removed the symbols of \(image)\n", "\(removed)")
        #expect(try symbols("list").output.contains("1 image,"))
        #expect(try symbols("remove", String(image)).code == 1)
    }

    @Test func `a file with only debug data can be uploaded`() throws {
        let full = try reportLeak(build: "1.0", padding: 2)
        try Self.shell("llvm-objcopy --only-keep-debug '\(full)' '\(full).debug'")
        let upload = try symbols("upload", full + ".debug")
        #expect(upload.code == 0 && upload.output.contains("1 leak got function names"), "\(upload)")
    }

    @Test func `the error about a file without symbols says what to do`() throws {
        let full = try reportLeak(build: "1.0", padding: 0)
        try Self.shell(
            "cd '\(folder.path)' && echo hello > text && mkdir empty && clang -shared -fPIC -Wl,--build-id=none -o none.so 1.0/cart.c"
        )
        let cases: [(String, String)] = [
            ("\(folder.path)/nope", "cannot be opened"),
            ("\(folder.path)/text", "is not a 64-bit ELF or Mach-O file"),
            ("\(folder.path)/empty", "without dSYM bundles"), ("\(folder.path)/none.so", "--build-id"),
            (full.replacingOccurrences(of: "/symbols/", with: "/"), "before it is stripped"),
        ]
        for (path, words) in cases {
            let upload = try symbols("upload", path)
            let text = upload.errors.replacingOccurrences(of: "\n", with: " ")
            #expect(upload.code == 1 && text.contains(words), "\(upload)")
        }
        let misuse = try symbols("upload")
        #expect(misuse.code == 2 && misuse.errors.contains("collector symbols upload FILE"), "\(misuse)")
    }
}

/// The stack that the callback from C captured.
private final class Captured: @unchecked Sendable {
    // `Sendable` is unchecked: `elements` is accessed only while `lock` is locked.
    private let lock = NSLock()
    private var elements: [String] = []

    func set(_ elements: [String]) { lock.withLock { self.elements = elements } }

    func take() -> [String] {
        lock.withLock {
            defer { elements = [] }
            return elements
        }
    }
}

private var hasSymbolTools: Bool {
    #if os(Linux)
        let tools = ["clang", "llvm-dwarfdump", "llvm-symbolizer", "llvm-nm", "llvm-objcopy"]
        return (try? SymbolsTests.shell(tools.map { "command -v \($0)" }.joined(separator: " && "))) != nil
    #else
        return false
    #endif
}
