import LeakCollector
import LeakStore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// `collector backup`, `verify`, `import` and `erase`: what an operator does with the database, also while a collector
/// runs on it.
struct Upkeep {
    private let settings: Settings

    init(settings: Settings) { self.settings = settings }

    func backUp(to file: String, overwrites: Bool) throws -> Program.ExitCode {
        let bytes = try database().backUp(to: file, overwrites: overwrites)
        Output.line("wrote \(file), \(bytes) bytes; its structure and its sums are right")
        return .done
    }

    func verify(_ file: String?) throws -> Program.ExitCode {
        let path = file ?? Collector.databasePath(in: settings.dataFolder)
        // Opened first, since an older schema is brought up to date then.
        let problems = file == nil ? try database().verify() : try SQLiteStore.verify(path: path)
        for problem in problems { Output.error("collector: \(path): \(problem)") }
        guard problems.isEmpty else { return .failed }
        Output.line("\(path) is sound: its structure is right, and every total is the sum of its parts")
        return .done
    }

    func erase(install: String) throws -> Program.ExitCode {
        let erased = try Erasure.run(
            install: install, in: Program.openStore(settings, isServer: false))
        Output.line(
            "erased \(erased.samples) kept reports, and the install from \(erased.sets) sets of installs")
        return .done
    }

    func importReports(from file: String, app: String?) throws -> Program.ExitCode {
        let store = try Program.openStore(settings, isServer: false)
        var lines = try LineReader(file)
        var named = 0
        var reports = Import(store: store, app: app, now: WallClock.milliseconds()) { line, reason in
            named += 1
            if named <= Self.namedRefusals { Output.error("line \(line): \(reason)") }
        }
        var nextWord = WallClock.milliseconds() + Self.progressMilliseconds
        while let line = try lines.next() {
            try reports.add(line: line)
            if reports.result.lines % 100 == 0, WallClock.milliseconds() >= nextWord {
                Output.error(Self.words(reports.result))
                nextWord = WallClock.milliseconds() + Self.progressMilliseconds
            }
        }
        try reports.flush()
        if named > Self.namedRefusals { Output.error("and \(named - Self.namedRefusals) more refused") }
        Output.line(Self.words(reports.result))
        return reports.result.rejected == 0 ? .done : .failed
    }

    /// More of them have one reason, which is known by then.
    private static let namedRefusals = 100
    private static let progressMilliseconds: Int64 = 1_000

    private static func words(_ result: Import.Result) -> String {
        "\(result.lines) lines: \(result.accepted) reports counted, \(result.repeated) lines counted before, "
            + "\(result.rejected) refused"
    }

    private func database() throws -> SQLiteStore {
        guard let database = try Program.openStore(settings, isServer: false) as? SQLiteStore else {
            throw StoreError(
                .other,
                "this needs the database in the data folder; for PostgreSQL use its own tools (pg_dump)")
        }
        return database
    }
}

/// The lines of a file, one after another.
struct LineReader: ~Copyable {
    private let descriptor: Int32
    private let path: String
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter path: `-` for standard input.
    init(_ path: String) throws(Failure) {
        let number = unsafe path == "-" ? dup(0) : open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else {
            throw Failure(description: "\(path) cannot be opened: \(unsafe String(cString: strerror(errno)))")
        }
        descriptor = number
        self.path = path
    }

    deinit { close(descriptor) }

    /// The next line without its end; one that is longer than any may be comes cut, one byte too long.
    mutating func next() throws(Failure) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                append(buffer[start..<end], to: &line)
                start = end + 1
                return line
            }
            append(buffer[start...], to: &line)
            let hasMore = start < buffer.count
            (buffer, start) = ([], 0)
            if isAtEnd { return line.isEmpty && !hasMore ? nil : line }
            try fill()
        }
    }

    private func append(_ bytes: ArraySlice<UInt8>, to line: inout [UInt8]) {
        line += bytes.prefix(Import.lineBytes + 1 - line.count)
    }

    private mutating func fill() throws(Failure) {
        let size = 1 << 18
        var count = 0
        repeat {
            buffer = unsafe [UInt8](unsafeUninitializedCapacity: size) { bytes, filled in
                count = unsafe read(descriptor, bytes.baseAddress, size)
                filled = max(0, count)
            }
        } while count < 0 && errno == EINTR
        guard count >= 0 else {
            throw Failure(description: "\(path) cannot be read: \(unsafe String(cString: strerror(errno)))")
        }
        isAtEnd = count == 0
    }
}
