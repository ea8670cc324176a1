internal import LeakMessage

/// The memory to search for the holder of an object. The search runs only if no cycle without suspected references keeps the
/// object.
public struct HolderSearch: OptionSet, Hashable, Sendable {
    /// One bit for each kind of memory.
    public let rawValue: Int
    /// Makes a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The global and static variables of the program: a walk from them, within the budget.
    public static let globals = HolderSearch(rawValue: 1)
    /// The memory of the process: a search for references, holder by holder. It takes time in proportion to that memory. Only on
    /// Linux with glibc's allocator, whose chunks show where an object ends.
    public static let heap = HolderSearch(rawValue: 2)
}

extension RetainExplanation.Holder {
    /// Makes a holder of the kind that follows from the types on a path.
    init(_ path: RetainPath) { self.init(kind: Kind(path)) }
}

extension RetainExplanation.Holder.Kind {
    /// The qualified names of timers in libraries: an app may have a timer class of its own.
    private static let timers: Set = ["Foundation.Timer", "__C.NSTimer", "__C.__NSCFTimer"]
    private static let centers: Set = [
        "Foundation.NotificationCenter", "FoundationEssentials.NotificationCenter",
        "__C.NSNotificationCenter",
    ]
    /// The name that paths show for blocks, and the classes that hold a block.
    private static let blocks: Set = ["block", "Dispatch.DispatchWorkItem", "Dispatch.DispatchSource"]

    fileprivate init(_ path: RetainPath) {
        // Compares names without their type arguments.
        let names = path.references.map { String($0.owner.prefix { $0 != "<" }) }
        let first = path.references.first?.kind
        if names.contains(where: Self.timers.contains) {
            self = .timer
        } else if names.contains(where: Self.centers.contains) {
            self = .notificationCenter
        } else if names.contains(where: { $0.hasSuffix("Cache") }) {
            self = .cache
        } else if first == .task {
            self = .task
        } else if first == .global {
            self = .global
        } else {
            self = names.contains(where: Self.blocks.contains) ? .dispatch : .object
        }
    }
}
