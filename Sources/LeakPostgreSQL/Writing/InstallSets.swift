#if PostgreSQL
    internal import LeakStore

    /// The leak, build, release or period to which the installs in a row of `install_set` belong.
    enum InstallScope: Hashable {
        case leak(rowID: Int64)
        case leakBuild(leak: Int64, build: Int64)
        case leakRelease(leak: Int64, release: Int64)
        case release(rowID: Int64)
        case slot(app: Int64, slot: Int64)
        case day(app: Int64, day: Int64)

        /// `scope`, `owner` and `part` of the row.
        var row: (scope: Int64, owner: Int64, part: Int64) {
            switch self {
            case .leak(let rowID): (0, rowID, 0)
            case .leakBuild(let leak, let build): (1, leak, build)
            case .leakRelease(let leak, let release): (2, leak, release)
            case .release(let rowID): (3, rowID, 0)
            case .slot(let app, let slot): (4, app, slot)
            case .day(let app, let day): (5, app, day)
            }
        }
    }

    /// A cache of sets of installs, as they were when this writer last committed. Other collectors may have added members
    /// since. Every removal of a member increments ``ExistingRows/cacheGeneration``, which empties this cache. So a hash that is
    /// in a cached set is also in the set in the database.
    struct InstallSetCache {
        private var cacheGeneration: Int64?
        /// Installs that are known to be in the stored ``RecentInstallSet`` of their leak and release.
        var countedInstalls = CountedInstalls()
        private var sets = RecentCache<InstallScope, InstallSet>(capacity: 2_048)

        /// Removes all sets if the generation has changed.
        ///
        /// - Parameter cacheGeneration: ``ExistingRows/cacheGeneration`` of this transaction.
        mutating func invalidate(unlessGenerationIs cacheGeneration: Int64) {
            guard cacheGeneration != self.cacheGeneration else { return }
            self = InstallSetCache()
            self.cacheGeneration = cacheGeneration
        }

        /// Returns the hashes that may be new to the set.
        mutating func possiblyNewHashes(_ hashes: [UInt64], in scope: InstallScope) -> [UInt64] {
            guard var set = sets.value(of: scope) else { return hashes }
            return hashes.filter { set.insert($0) }
        }

        /// - Parameter committedSets: sets that were committed.
        mutating func remember(_ committedSets: [InstallScope: InstallSet]) {
            for (scope, set) in committedSets {
                sets.remove(scope)
                sets.insert(set, for: scope)
            }
        }
    }

    extension InstallScope {
        /// Returns the table that has the number of installs, and the condition that finds its row for a set `i`; `nil` for
        /// ten-minute slots and days, whose sets are counted when they are read.
        static func countTable(ofScope scope: Int64) -> (table: String, rowCondition: String)? {
            switch scope {
            case 0: ("leak", "t.id = i.owner")
            case 1: ("leak_build", "t.leak = i.owner and t.build = i.part")
            case 2: ("leak_release", "t.leak = i.owner and t.release = i.part")
            case 3: ("release", "t.id = i.owner")
            default: nil
            }
        }

        /// All scopes for which a number of installs is stored.
        static let countedScopes: ClosedRange<Int64> = 0...3
    }
#endif
