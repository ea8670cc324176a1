internal import LeakMessage

/// The places to search for the holder of an object that is not part of a cycle.
public struct HolderSearch: OptionSet, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Walks from the global and static variables of the program, within the budget.
    public static let globals = HolderSearch(rawValue: 1)
    /// Searches the memory of the process for references, holder by holder. Takes time in
    /// proportion to that memory. Linux with glibc's allocator only: its chunks tell where an object ends.
    public static let heap = HolderSearch(rawValue: 2)
}

extension RetainExplanation.Holder {
    /// The kind that the types on a path tell.
    init(_ path: RetainPath) { self.init(kind: Kind(path)) }
}

extension RetainExplanation.Holder.Kind {
    /// Types of libraries, by their names with modules: an app may have a timer of its own.
    private static let timers: Set = ["Foundation.Timer", "__C.NSTimer", "__C.__NSCFTimer"]
    private static let centers: Set = [
        "Foundation.NotificationCenter", "FoundationEssentials.NotificationCenter",
        "__C.NSNotificationCenter",
    ]
    /// The name of the objects without a type that are blocks, and the classes that hold one.
    private static let blocks: Set = ["block", "Dispatch.DispatchWorkItem", "Dispatch.DispatchSource"]

    fileprivate init(_ path: RetainPath) {
        // Without type arguments.
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
