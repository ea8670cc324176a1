/// The identity of a leak, without its counts by version, time and system.
public struct LeakOutline: Hashable, Sendable {
    public var id: LeakID
    public var title: String
    public var className: String?
    /// The same as ``LeakIdentity/stack``.
    public var stack: [String]
    public var groupingKey: GroupingKey
    public var reports: Int

    public init(
        id: LeakID, title: String, className: String?, stack: [String], groupingKey: GroupingKey, reports: Int
    ) {
        self.id = id
        self.title = title
        self.className = className
        self.stack = stack
        self.groupingKey = groupingKey
        self.reports = reports
    }

    /// Reads stored bytes.
    ///
    /// - Returns: `nil` for bytes that no store wrote.
    package init?(
        key: [UInt8], title: String, className: String?, stack: [UInt8], children: [UInt8], cycle: [UInt8],
        groupedVersion: Int, groupedClass: String, groupedStack: [UInt8], reports: Int
    ) {
        guard let id = LeakID(blob: key), let unpackedStack = PackedReader.texts(stack),
            let unpackedKey = GroupingKey(
                version: groupedVersion, className: groupedClass, packed: groupedStack, stack: stack,
                children: children, cycle: cycle)
        else { return nil }
        self.init(
            id: id, title: title, className: className, stack: unpackedStack, groupingKey: unpackedKey,
            reports: reports)
    }
}

extension GroupingKey {
    /// Reads stored bytes.
    ///
    /// - Parameters:
    ///   - packed: ``LeakIdentity/packedGroupedStack``
    ///   - stack: the leak's stack, packed like its children and cycle.
    /// - Returns: `nil` for bytes that no store wrote.
    package init?(
        version: Int, className: String, packed: [UInt8], stack: [UInt8], children: [UInt8], cycle: [UInt8]
    ) {
        guard let stack = PackedReader.texts(stack), let children = PackedReader.texts(children),
            let cycle = PackedReader.texts(cycle),
            let groupedStack = GroupedStack.unpack(packed, path: stack + children + cycle)
        else { return nil }
        self.init(version: version, className: className, stack: groupedStack)
    }
}
