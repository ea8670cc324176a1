internal import LeakMessage

/// One frame of a call stack, as runtimes, debuggers and crash reporters print it.
///
/// The initializer reads the forms of `Thread.callStackSymbols` (Apple, Linux) and `backtrace_symbols`, lldb and Xcode, the backtraces of
/// Swift 6, Apple's crash reports, Crashlytics, PLCrashReporter and KSCrash, `leaks` and `malloc_history`, sanitizers,
/// Kotlin/Native, Java, JavaScript and Dart, the JSON of `.ips` reports, MetricKit, Sentry and KSCrash, and the offsets in
/// images that LeakReporter sends.
package struct CallFrame: Hashable, Sendable {
    /// The image, package or library of the function; `nil` if the frame does not name one.
    package internal(set) var module: String?
    /// The demangled function without argument types and without the modules of types:
    /// `closure #1 in CartModel.bind(to:)`; `nil` if the frame does not name one.
    package internal(set) var function: String?
    /// The distance from the start of the image, if the frame has it.
    package internal(set) var offset: UInt64?
    /// The UUID or build id of the image, or the id of an obfuscator's mapping.
    package internal(set) var imageID: String?
    /// `true` for a library of the operating system or of a language's runtime.
    package internal(set) var isSystem = false
    /// The source file's name without its folder, and the line.
    package internal(set) var file: String?
    package internal(set) var line: Int?
    /// The obfuscated class and method of a frame whose ``imageID`` identifies the obfuscator's mapping.
    var obfuscated: ObfuscatedMethod?
    /// `true` for a frame that got its name from ``CallStack/named(by:)``. Pages show file and line of such a frame.
    var isSymbolicated = false

    /// The function that contains the closure, lambda or block; for any other frame, the function itself.
    package var enclosingFunction: String? {
        function.map { FunctionNameReader.enclosing($0) }
    }

    /// Returns the name of a function without the types of its arguments; the symbol itself if it is mangled by Swift 4 or later.
    package static func functionName(_ symbol: String) -> String {
        FunctionNameReader.read(Text(symbol)) { _ in nil } ?? symbol
    }

    /// Reads one line, or one JSON object.
    ///
    /// - Parameter demangle: demangles one name; `nil` if the text is not a mangled name.
    /// - Returns: `nil` for text that is not a call frame.
    package init?(_ text: String, demangle: @escaping (String) -> String? = { _ in nil }) {
        guard let frame = FrameReader(demangle: demangle).read(Text(text)) else { return nil }
        self = frame
    }

    init() {}

    init(module: String?, function: String?, offset: UInt64? = nil) {
        self.module = module
        self.function = function
        self.offset = offset
    }
}
