/// Where to look for what keeps an object that is part of no cycle.
public struct HolderSearch: OptionSet, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Walks from the global and static variables of the program, within the budget.
    public static let globals = HolderSearch(rawValue: 1)
    /// Searches the memory of the process for references, holder by holder: about 0.5 ms for each MB and holder. Linux only.
    public static let heap = HolderSearch(rawValue: 2)
}

/// What keeps an object alive, by its kind.
public struct Holder: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A task that has not ended.
        case task
        /// A timer of a run loop.
        case timer
        case notificationCenter = "notification_center"
        /// A block that Dispatch keeps: an event handler of a source, or work that has not run.
        case dispatch
        /// A type whose name ends with `Cache`.
        case cache
        /// A global or static variable.
        case global
        /// Another object, whose holder was not found.
        case object
    }

    public var kind: Kind

    public init(kind: Kind) { self.kind = kind }

    /// The kind that the types on a path tell.
    init(_ path: RetainPath) {
        let names = path.references.map { $0.owner.split(separator: ".").last.map(String.init) ?? $0.owner }
        let first = path.references.first?.kind
        if names.contains("Timer") {
            kind = .timer
        } else if names.contains(where: { $0.hasPrefix("Notification") }) {
            kind = .notificationCenter
        } else if names.contains(where: { $0.hasSuffix("Cache") || $0.hasPrefix("NSCache") }) {
            kind = .cache
        } else if first == .task {
            kind = .task
        } else if first == .global {
            kind = .global
        } else {
            kind = names.contains("block") ? .dispatch : .object
        }
    }
}
