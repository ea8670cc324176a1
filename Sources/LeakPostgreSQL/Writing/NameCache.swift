#if PostgreSQL
    internal import LeakStore

    /// Names in the database with their row IDs, and keys of rows in the database. Both stay valid while other collectors
    /// write, because the row ID of a name never changes. Every deletion of names increments ``ExistingRows/cacheGeneration``,
    /// which empties this cache.
    struct NameCache {
        private var cacheGeneration: Int64?
        var apps = RecentCache<AppKey, Int64>(capacity: 512)
        var releases = RecentCache<ReleaseName, Int64>(capacity: 2_048)
        var builds = RecentCache<BuildName, Int64>(capacity: 4_096)
        /// Keys of rows that `leak_build` has; the value is always `true`.
        var cells = RecentCache<LeakBuildKey, Bool>(capacity: 16_384)
        /// Keys of rows that `leak_value` has; the value is always `true`.
        var values = RecentCache<HashedName, Bool>(capacity: 65_536)
        /// Keys of rows that `build_check` has; the value is always `true`.
        var checks = RecentCache<HashedName, Bool>(capacity: 16_384)

        /// Modules of leaks, for reports that can count under two keys, one with the module and one without it. An outdated
        /// module only causes a second lookup.
        private(set) var modules: [LeakID: String] = [:]
        private static let moduleLimit = 4_096

        /// Removes all names, except apps, if the generation has changed. The caller has looked up the apps already.
        ///
        /// - Parameter cacheGeneration: ``ExistingRows/cacheGeneration`` of this transaction.
        mutating func invalidate(unlessGenerationIs cacheGeneration: Int64) {
            guard cacheGeneration != self.cacheGeneration else { return }
            let (apps, modules) = (apps, modules)
            self = NameCache()
            (self.apps, self.modules, self.cacheGeneration) = (apps, modules, cacheGeneration)
        }

        mutating func remember(_ module: String?, of leak: LeakID) {
            if modules.count >= Self.moduleLimit { modules = [:] }
            modules[leak] = module
        }

        /// - Parameter committedCells: cells that are in the database.
        mutating func remember(_ committedCells: [LeakBuildKey]) {
            for cell in committedCells where cells.value(of: cell) == nil { cells.insert(true, for: cell) }
        }

        /// - Parameter committedDetails: names that are in the database, or beyond the limit of their leak or build.
        mutating func remember(_ committedDetails: Details) {
            for value in committedDetails.values
            where (!value.aggregatedValue.text.isEmpty || value.isOverValueLimit)
                && values.value(of: value.name) == nil
            {
                values.insert(true, for: value.name)
            }
            for check in committedDetails.checks where checks.value(of: check.name) == nil {
                checks.insert(true, for: check.name)
            }
        }
    }

    /// A version of the app with the row ID `app`.
    struct ReleaseName: Hashable {
        var app: Int64
        var version: ByteText
    }

    struct BuildName: Hashable {
        var release: ReleaseName
        var name: ByteText
    }

    /// The row IDs of a leak and of a build in which the leak is counted.
    struct LeakBuildKey: Hashable {
        var leak: Int64
        var build: Int64
    }
#endif
