/// Properties that all sightings of one leak have in common: stored once, with the leak's first sighting.
///
/// This type is a class so that thousands of sightings in memory share one copy.
public final class LeakIdentity: Sendable {
    /// The reliability with which the leak is identified.
    public enum Quality: String, Sendable {
        /// Identified by its class, its cycle, or the fingerprint that the sender chose.
        case full
        /// Identified by a class that a text in an unknown format seems to name.
        case guessed
        /// Identified by a masked text alone, or by the domain and code of an error.
        case low
    }

    public let id: LeakID
    public let app: String
    /// ``AppKey/environment``. A leak that is reported from two environments counts as two leaks, one in each environment.
    public let environment: String
    /// `view_controller`, `view`, `object` or `cycle`, as first reported.
    public let kind: String
    /// The class without its module; `nil` if the report named no class.
    public let className: String?
    public let module: String?
    /// The title on a page: the class, or the text that replaces a missing class.
    public let title: String
    /// The stack as first reported, cleaned, with all its elements.
    public let stack: [String]
    /// The classes of the controllers in a leaked container.
    public let children: [String]
    /// The strong references by which objects keep each other; empty if the report names no cycle.
    public let cycle: [String]
    public let quality: Quality
    /// The version of the grouping rules by which `id` was computed, and their result.
    public let groupingKey: GroupingKey
    /// The same leak with its other possible key: if the class in the key of this identity contains the module, the class in
    /// the other key does not, and the other way round. The store chooses one of the two (LeakModules.swift).
    ///
    /// `nil` if no module is known. Of the two identities, only the identity whose class is without the module has a
    /// ``module``.
    public let otherModuleSpelling: LeakIdentity?
    /// The id by which the leak of a report is found: the same for all reports of this class, module and stack, whether the
    /// class is sent with its module or without it.
    let lookupID: LeakID

    public var appKey: AppKey { AppKey(app, environment: environment) }

    /// The ids under which reports of the leak may be counted.
    package var ids: [LeakID] { [id] + (otherModuleSpelling.map { [$0.id] } ?? []) }

    public init(
        id: LeakID, app: String, environment: String = AppKey.production, kind: String, className: String?,
        module: String?, title: String, stack: [String], children: [String], cycle: [String],
        quality: Quality, groupingKey: GroupingKey,
        otherModuleSpelling: LeakIdentity? = nil
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
        self.otherModuleSpelling = otherModuleSpelling
        lookupID = module == nil ? id : otherModuleSpelling?.id ?? id
    }
}

/// The result of the grouping rules for a report: reports of one app in one environment with an equal key belong to the same
/// leak. The leak's id is a hash of app, environment and key.
public struct GroupingKey: Hashable, Sendable {
    /// Version of the grouping rules; stored, never recomputed.
    public var version: Int
    /// The class, the masked text, or the fingerprint that the sender chose.
    public var className: String
    public var stack: [String]

    public init(version: Int, className: String, stack: [String]) {
        self.version = version
        self.className = className
        self.stack = stack
    }
}
