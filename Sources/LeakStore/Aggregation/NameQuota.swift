/// Chooses the names under which reports count: their own names, or ``StoreLimits/other`` beyond a limit.
///
/// A quota numbers apps, releases, builds and leaks, each kind from 0, with an ``EntryNumber`` of the kind; later calls use these
/// numbers. Admitted names are expected to be written in the same transaction.
package protocol NameQuota: AnyObject {
    /// Returns the app under which the reports of an app count.
    ///
    /// - Parameter key: the ingest key whose report names the app.
    func app(_ app: AppKey, key: Int64, seenAt: Int64) throws(StoreError) -> AppAdmission
    /// Returns the name under which the reports of a version count. `app` is the number of its app.
    ///
    /// - Parameter key: the ingest key whose report names the version. The bytes of a new version count towards the key's daily
    ///   limit.
    func release(
        _ version: String, of app: AppNumber, key: Int64, seenAt: Int64
    ) throws(StoreError) -> NameAdmission<SubmissionAggregate.Release>
    /// Returns the name under which the reports of a build count. `release` is the number of its release.
    ///
    /// - Parameter key: as for ``release(_:of:key:seenAt:)``.
    func build(_ name: String, of release: ReleaseNumber, key: Int64) throws(StoreError) -> NameAdmission<
        SubmissionAggregate.Build
    >
    /// Returns the leak under which the reports of a leak count, and the number of that leak. `app` is the number of its app.
    ///
    /// - Parameter key: the ingest key whose report names the leak.
    func leak(
        _ identity: LeakIdentity, of app: AppNumber, key: Int64
    ) throws(StoreError) -> (leak: LeakAdmission, number: LeakNumber)
    /// Returns the module of a leak that exists: empty if no report has named one. Returns `nil` for a leak that does not
    /// exist.
    func module(of leak: LeakID) throws(StoreError) -> String?
    /// Returns `true` if the reports of a leak in a build may be counted separately from its reports in other builds.
    ///
    /// - Parameters:
    ///   - isLastResort: `true` for the build `other` of the release `other`, which counts those reports of the leak that may
    ///     not be counted in any other build. It is admitted even if a limit is reached.
    ///   - key: the ingest key whose report comes first. The bytes of a new build count towards the key's daily limit.
    func admits(_ leak: LeakNumber, in build: BuildNumber, isLastResort: Bool, of app: AppNumber, key: Int64)
        throws(StoreError)
        -> Bool
}

/// The answer of a ``NameQuota`` about an app: the app and environment under which its reports count.
package struct AppAdmission: Sendable {
    package var key: AppKey
    /// The number that the quota gave the app; always 0 for ``UnlimitedNames``.
    package var number: AppNumber

    package init(_ key: AppKey, number: AppNumber) {
        self.key = key
        self.number = number
    }
}

/// The answer of a ``NameQuota`` about a version or build: the name under which its reports count.
package struct NameAdmission<Counted>: Sendable {
    package var name: String
    /// The number that the quota gave the name; always 0 for ``UnlimitedNames``.
    package var number: EntryNumber<Counted>

    package init(_ name: String, number: EntryNumber<Counted>) {
        self.name = name
        self.number = number
    }
}

/// The answer of a ``NameQuota`` about a leak: the leak under which its reports count.
package struct LeakAdmission: Sendable {
    /// The leak itself or, beyond a limit, the leak that counts all others: ``LeakIdentity/overLimit(app:rowID:)``.
    package var counted: LeakIdentity
    /// `true` if the database does not have the leak ``counted`` yet.
    package var isNew: Bool
    /// The limit because of which the leak is counted as `other`; `nil` if no limit was reached.
    package var exceededLimit: OverLimitCount.Name?

    package init(counted: LeakIdentity, isNew: Bool, exceededLimit: OverLimitCount.Name? = nil) {
        self.counted = counted
        self.isNew = isNew
        self.exceededLimit = exceededLimit
    }
}

extension LeakIdentity {
    /// Returns the leak under which all leaks of an app beyond the limit are counted together. Its id begins with eight zero
    /// bytes; a hash of a class and a stack does not.
    ///
    /// - Parameter rowID: the row ID of the app.
    package static func overLimit(app: AppKey, rowID: Int64) -> LeakIdentity {
        LeakIdentity(
            id: LeakID(high: 0, low: UInt64(bitPattern: rowID)), app: app.name, environment: app.environment,
            kind: "object", className: nil, module: nil, title: "Not grouped (limit reached)", stack: [],
            children: [], cycle: [],
            quality: .low,
            groupingKey: GroupingKey(version: 1, className: StoreLimits.other, stack: []))
    }

    /// Returns the identity under which an app counts the leak. Its own app counts it unchanged. In the app
    /// ``StoreLimits/other``, the leak gets a second id: its own app may be admitted later, by a different ingest key, and then
    /// needs the usual id.
    package func counted(in other: AppKey) -> LeakIdentity {
        guard other.name == StoreLimits.other, app != other.name else { return self }
        return LeakIdentity(
            id: LeakID(high: max(1, SplitMix64.mix(id.high)), low: SplitMix64.mix(id.low)),
            app: other.name, environment: other.environment, kind: kind, className: className,
            module: module, title: title, stack: stack,
            children: children, cycle: cycle, quality: quality, groupingKey: groupingKey,
            otherModuleSpelling: otherModuleSpelling?.counted(in: other))
    }

    /// `true` for the leak that counts all leaks of an app beyond the limit: ``overLimit(app:rowID:)``.
    package var isOverLimit: Bool { Self.isOverLimit(id) }

    /// Returns `true` for the id of the leak that counts all leaks of an app beyond the limit.
    package static func isOverLimit(_ id: LeakID) -> Bool { id.high == 0 }

    /// Approximate bytes of the leak's row in `leak_text`.
    package var storedBytes: Int {
        let path = SearchText.packedPathBytes(of: self)
        // The search text contains title and path again, unless the path is long.
        let search = path > SearchText.maxPathBytes ? 0 : title.utf8.count + path
        return title.utf8.count + path + groupingKey.className.utf8.count + packedGroupedStack.count + search
    }
}

/// A quota without limits: every name is counted under its own name, and none under `other`.
package final class UnlimitedNames: NameQuota {
    package init() {}

    package func app(_ app: AppKey, key: Int64, seenAt: Int64) -> AppAdmission {
        AppAdmission(app, number: EntryNumber(index: 0))
    }

    package func release(_ version: String, of app: AppNumber, key: Int64, seenAt: Int64) -> NameAdmission<
        SubmissionAggregate.Release
    > {
        NameAdmission(version, number: EntryNumber(index: 0))
    }

    package func build(_ name: String, of release: ReleaseNumber, key: Int64) -> NameAdmission<
        SubmissionAggregate.Build
    > {
        NameAdmission(name, number: EntryNumber(index: 0))
    }

    package func leak(_ identity: LeakIdentity, of app: AppNumber, key: Int64) -> (
        leak: LeakAdmission, number: LeakNumber
    ) {
        (LeakAdmission(counted: identity, isNew: false), EntryNumber(index: 0))
    }

    package func module(of leak: LeakID) -> String? { nil }

    package func admits(
        _ leak: LeakNumber, in build: BuildNumber, isLastResort: Bool, of app: AppNumber, key: Int64
    ) -> Bool {
        true
    }
}

/// The number that a ``NameQuota`` gives an item of a ``SubmissionAggregate``, such as a release. The item's type is part of the
/// type, so a release's number finds releases alone.
package struct EntryNumber<Counted>: Hashable, Sendable {
    package let index: Int

    package init(index: Int) { self.index = index }
}

package typealias AppNumber = EntryNumber<SubmissionAggregate.App>
package typealias ReleaseNumber = EntryNumber<SubmissionAggregate.Release>
package typealias BuildNumber = EntryNumber<SubmissionAggregate.Build>
package typealias LeakNumber = EntryNumber<SubmissionAggregate.Leak>

/// Entries of items of the type `Counted`, numbered from 0 in the order in which their keys were added.
package struct NumberedEntries<Counted, Key: Hashable, Entry> {
    private var entries: [Entry] = []
    private var numbers: [Key: EntryNumber<Counted>] = [:]

    package init() {}

    package func number(of key: Key) -> EntryNumber<Counted>? { numbers[key] }

    /// Returns the number of a key. Adds the key with an entry if it is new.
    ///
    /// - Parameter entry: the entry of a new key.
    /// - Returns: the number of the key.
    package mutating func number(of key: Key, adding entry: @autoclosure () -> Entry) -> EntryNumber<Counted>
    {
        if let number = numbers[key] { return number }
        let number = EntryNumber<Counted>(index: entries.count)
        entries.append(entry())
        numbers[key] = number
        return number
    }

    package subscript(number: EntryNumber<Counted>) -> Entry {
        get { entries[number.index] }
        set { entries[number.index] = newValue }
    }
}

/// The hash of a text and of the row that the text belongs to, which takes less memory than the text.
///
/// The hash function differs from process to process, so a sender cannot choose two texts with the same hash.
package struct HashedName: Hashable {
    private let hash: UInt64

    /// - Parameters:
    ///   - owner: the row ID of the row that the text belongs to.
    ///   - hash: from ``hash(of:)``.
    package init(owner: Int64, hash: Int) {
        self.hash = SplitMix64.mix(UInt64(bitPattern: owner)) ^ UInt64(bitPattern: Int64(hash))
    }

    /// Creates the hash of a value of a leak.
    package init(leak: Int64, _ kind: ValueKind, hash: Int) {
        self.init(owner: leak, hash: hash << 3 | kind.rawValue)
    }

    package static func hash(of text: String) -> Int { ByteText(text).hashValue }
}
