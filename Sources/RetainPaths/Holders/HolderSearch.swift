internal import LeakMessage

/// Where to look for what keeps an object that is part of no cycle.
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
    fileprivate init(_ path: RetainPath) {
        let names = path.references.map { $0.owner.split(separator: ".").last.map(String.init) ?? $0.owner }
        let first = path.references.first?.kind
        if names.contains("Timer") {
            self = .timer
        } else if names.contains(where: { $0.hasPrefix("Notification") }) {
            self = .notificationCenter
        } else if names.contains(where: { $0.hasSuffix("Cache") || $0.hasPrefix("NSCache") }) {
            self = .cache
        } else if first == .task {
            self = .task
        } else if first == .global {
            self = .global
        } else {
            self = names.contains("block") ? .dispatch : .object
        }
    }
}
