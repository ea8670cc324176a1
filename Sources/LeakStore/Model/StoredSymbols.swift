/// Symbols that were uploaded for an image or a mapping of an app, without the table itself.
public struct StoredSymbols: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
        /// The functions of a program or library, by their offsets.
        case image
        /// The names that an obfuscator replaced in a build of an app.
        case mapping
    }

    /// The number of the upload. A later upload of the same image has a larger number.
    public var id: Int64
    public var kind: Kind
    /// The image's id as a UUID. For a mapping, a UUID made from the mapping's own id.
    public var image: String
    /// The image's name, such as `Shop`; for a mapping, `r8-map-id-` and the mapping's own id.
    public var name: String
    /// Milliseconds since 1970.
    public var uploadedAt: Int64
    /// Time at which a report last needed the table, in milliseconds since 1970; precise to the hour.
    public var usedAt: Int64
    /// Size of the compressed table in bytes.
    public var bytes: Int

    public init(
        id: Int64 = 0, kind: Kind, image: String, name: String, uploadedAt: Int64, usedAt: Int64, bytes: Int
    ) {
        self.id = id
        self.kind = kind
        self.image = image
        self.name = name
        self.uploadedAt = uploadedAt
        self.usedAt = usedAt
        self.bytes = bytes
    }
}

/// The outcome of storing symbols.
public enum SymbolUploadResult: Hashable, Sendable {
    case stored
    /// The symbols replace an earlier upload for the same image.
    case replaced
    /// Nothing was stored, because the new table would exceed ``StoreLimits/symbolBytes``. `bytes` is the size of the tables of
    /// all other images together.
    case full(bytes: Int)
}

/// A value that changes with every upload and removal of symbols.
public struct SymbolsVersion: Hashable, Sendable {
    public var lastRowID: Int64
    public var tableCount: Int

    public init(lastRowID: Int64, tableCount: Int) {
        self.lastRowID = lastRowID
        self.tableCount = tableCount
    }
}
