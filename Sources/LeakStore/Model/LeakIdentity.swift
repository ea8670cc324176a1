/// Properties that all sightings of one leak have in common: stored once, with the leak's first sighting.
///
/// A class, so that the thousands of sightings in flight share one copy.
public final class LeakIdentity: Sendable {
    /// The reliability with which the leak is identified.
    public enum Quality: String, Sendable {
        /// Identified by its class.
        case full
        /// Identified by a class that a text in an unknown format seems to name.
        case guessed
        /// Identified by a masked text alone.
        case low
    }

    public let id: LeakID
    public let app: String
    /// ``AppKey/environment``. A leak that is reported from two environments is one leak in each.
    public let environment: String
    /// `view_controller`, `view`, `object` or `cycle`, as first reported.
    public let kind: String
    /// The class without its module, or `nil` where the text named none.
    public let className: String?
    public let module: String?
    /// The title on a page: the class, or the text that stands for it.
    public let title: String
    /// The stack as first reported, cleaned, with all its elements.
    public let stack: [String]
    public let children: [String]
    public let cycle: [String]
    public let quality: Quality
    /// The rule that made `id`, and its input.
    public let groupingKey: GroupingKey
    /// The same leak with the other key that it may have: with the module in the class's name, or without.
    ///
    /// `nil` if the class names no module. The identity without the module in the class's name has it as ``module``.
    public let alternative: LeakIdentity?
    /// The same for all reports of this class and stack that name the module, whatever spelling of the class their senders use.
    let askedID: LeakID

    public var appKey: AppKey { AppKey(app, environment: environment) }

    /// The keys that reports of the leak may count under.
    package var ids: [LeakID] { [id] + (alternative.map { [$0.id] } ?? []) }

    public init(
        id: LeakID, app: String, environment: String = AppKey.production, kind: String, className: String?,
        module: String?, title: String, stack: [String], children: [String], cycle: [String],
        quality: Quality, groupingKey: GroupingKey,
        alternative: LeakIdentity? = nil
    ) {
        self.id = id
        self.app = app
        self.environment = environment
        self.kind = kind
        self.className = className
        self.module = module
        self.title = title
        self.stack = stack
        self.children = children
        self.cycle = cycle
        self.quality = quality
        self.groupingKey = groupingKey
        self.alternative = alternative
        askedID = module == nil ? id : alternative?.id ?? id
    }
}

/// The reason why two reports belong to the same leak.
public struct GroupingKey: Hashable, Sendable {
    /// Version of the grouping rules; stored, never recomputed.
    public var version: Int
    /// The key's class, masked text, or sender's fingerprint.
    public var className: String
    public var stack: [String]

    public init(version: Int, className: String, stack: [String]) {
        self.version = version
        self.className = className
        self.stack = stack
    }
}
