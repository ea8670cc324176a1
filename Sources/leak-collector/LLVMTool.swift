import LeakPlatform

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A program of LLVM that reads debug data.
struct LLVMTool {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let path: String

    /// Finds the program.
    ///
    /// - Parameters:
    ///   - name: name of the program. The name with a version, such as `llvm-nm-18`, is searched as well.
    ///   - alternativeNames: other names of the program.
    /// - Throws: ``Failure`` that says how to install it.
    init(_ name: String, or alternativeNames: [String] = []) throws(Failure) {
        let names = [name] + alternativeNames + Self.versions.map { "\(name)-\($0)" }
        for folder in Self.folders {
            for name in names where unsafe access("\(folder)/\(name)", X_OK) == 0 {
                path = "\(folder)/\(name)"
                return
            }
        }
        throw Failure(
            description:
                "\(name), which reads debug data, was not found. Install LLVM (apt-get install llvm, or brew install "
                + "llvm on a Mac) or add its folder to PATH")
    }

    /// Versions of LLVM whose programs are searched, newest first. Debian adds the version to a program's name.
    private static let versions = (14...24).reversed()

    /// Folders that are searched: `PATH`, and the folders of Homebrew, which does not add LLVM to `PATH`.
    private static var folders: [String] {
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map(String.init) + [
            "/opt/homebrew/opt/llvm/bin", "/usr/local/opt/llvm/bin",
        ]
    }

    /// Runs the program and passes each line of its standard output to `line`. Its standard error is discarded.
    ///
    /// - Parameter input: text for its standard input.
    func run(_ arguments: [String], input: [UInt8] = [], line: (String) -> Void) throws(Failure) {
        let inputFile = try Self.temporaryFile(with: input)
        defer { close(inputFile) }
        var pipeEnds: [Int32] = [0, 0]
        guard unsafe pipe(&pipeEnds) == 0 else {
            throw Failure(description: "a pipe to \(path) cannot be created: \(Self.errorText)")
        }
        let process: pid_t
        do throws(Failure) {
            process = try start(
                arguments, input: inputFile, output: pipeEnds[1], unusedPipeEnd: pipeEnds[0])
        } catch {
            close(pipeEnds[0])
            close(pipeEnds[1])
            throw error
        }
        close(pipeEnds[1])
        Self.forEachLine(of: pipeEnds[0], line)
        close(pipeEnds[0])
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else {
            throw Failure(
                description:
                    "\(([path] + arguments).joined(separator: " ")) failed; run this command by hand to see why"
            )
        }
    }

    private func start(
        _ arguments: [String], input: Int32, output: Int32, unusedPipeEnd: Int32
    ) throws(Failure) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = unsafe posix_spawn_file_actions_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        unsafe posix_spawn_file_actions_addclose(&actions, unusedPipeEnd)
        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) }
        unsafe words.append(nil)
        defer { unsafe words.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let code = unsafe posix_spawn(&process, path, &actions, nil, &words, environ)
        guard code == 0 else {
            throw Failure(description: "\(path) cannot be started: \(unsafe String(cString: strerror(code)))")
        }
        return process
    }

    /// Returns the descriptor of an unlinked file with the input. With a pipe instead, both processes could block: this
    /// process while it writes the input, and the program because its output is not read meanwhile.
    private static func temporaryFile(with bytes: [UInt8]) throws(Failure) -> Int32 {
        let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var name = Array("\(folder)/collector-XXXXXX".utf8CString)
        let file = unsafe mkstemp(&name)
        guard file >= 0 else {
            throw Failure(description: "no file can be created in \(folder): \(errorText)")
        }
        unsafe unlink(name)
        guard writeAll(bytes, to: file) == bytes.count else {
            let errorText = errorText
            close(file)
            throw Failure(description: "\(folder) cannot be written: \(errorText)")
        }
        lseek(file, 0, SEEK_SET)
        return file
    }

    private static var errorText: String { unsafe String(cString: strerror(errno)) }

    private static func forEachLine(of descriptor: Int32, _ body: (String) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var partialLine: [UInt8] = []
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            var lines = buffer[..<count].split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let last = lines.removeLast()
            for piece in lines {
                body(String(decoding: partialLine + piece, as: UTF8.self))
                partialLine = []
            }
            partialLine += last
        }
        if !partialLine.isEmpty { body(String(decoding: partialLine, as: UTF8.self)) }
    }
}
