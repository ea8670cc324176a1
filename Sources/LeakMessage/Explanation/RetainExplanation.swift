/// The reasons why an object is alive, as far as they are known.
public struct RetainExplanation: Hashable, Sendable {
    public enum Confidence: String, Hashable, Sendable, CaseIterable {
        /// The type of every reference is known, and the found references account for the whole reference count of the object.
        case proven
        /// A reference was found by searching memory, or something else holds the object as well.
        case suspected
        /// Nothing was found.
        case none
    }

    /// Memory that would be freed with the object.
    public struct Cost: Hashable, Sendable {
        /// Bytes of the allocator, its own overhead included.
        public var bytes: Int
        /// Objects, storage of containers and contexts of closures included; the object itself counts as one.
        public var objects: Int
        /// `true` if a limit ended the walk before all memory was seen.
        public var isAtLeast: Bool

        public init(bytes: Int, objects: Int, isAtLeast: Bool) {
            self.bytes = bytes
            self.objects = objects
            self.isAtLeast = isAtLeast
        }
    }

    /// The kind of holder that keeps an object alive.
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
    }

    /// The object's class, qualified with its module; empty where no object was found at the address.
    public var type = ""
    /// The shortest cycle, or else the path from the holder of the object.
    public var path: RetainPath?
    /// Other cycles that keep the object: breaking one is not enough.
    public var furtherCycles: [RetainPath] = []
    public var confidence = Confidence.none
    /// The number of strong references to the object that no proven reference accounts for, without the caller's own. Suspected
    /// references do not lower it. It is 0 for a proven cycle. Without a path these references are held by objects that were not
    /// searched, or in memory that cannot be read.
    public var unexplainedReferences = 0
    /// The holder that a search found; `nil` for cycles and without a search.
    public var holder: Holder?
    /// The first instruction of each closure of the path, in its order.
    public var closureSites: [ImageOffset] = []
    /// The variable that a path from a global begins with.
    public var global: ImageOffset?
    /// `nil` if the walk found no object.
    public var cost: Cost?

    public init() {}

    public var references: [RetainReference] { path?.references ?? [] }
    public var isCycle: Bool { path?.isCycle ?? false }
}

/// A place in a program or library, for a symbolizer: the code of a closure or a global variable.
public struct ImageOffset: Hashable, Sendable {
    /// The last component of the image's path; empty if it is not known.
    public var image: String
    /// The build id (ELF) or UUID (Mach-O), hexadecimal without dashes; empty if the image has none.
    public var imageIdentifier: String
    /// Bytes from the image's load bias (ELF) or header (Mach-O).
    public var offset: UInt64

    public init(image: String, imageIdentifier: String, offset: UInt64) {
        self.image = image
        self.imageIdentifier = imageIdentifier
        self.offset = offset
    }
}
