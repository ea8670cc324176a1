/// The reasons why an object stays in memory, as far as they were found.
public struct RetainExplanation: Hashable, Sendable {
    /// How sure it is that the found references keep the object.
    public enum Confidence: String, Hashable, Sendable, CaseIterable {
        /// The type of every reference is known, and the found references account for the whole reference count of the object.
        case proven
        /// A reference was found only by searching memory, or the object has further references that were not found.
        case suspected
        /// No reason was found.
        case none
    }

    /// Memory that would be freed with the object.
    public struct Cost: Hashable, Sendable {
        /// The bytes that the allocator uses, including its overhead.
        public var bytes: Int
        /// The number of objects. The object itself, storage of containers and contexts of closures count too.
        public var objects: Int
        /// `true` if ``bytes`` and ``objects`` are lower bounds, because a limit ended the search before all of this memory was
        /// counted.
        public var isAtLeast: Bool

        /// Creates a cost; see the properties of the same names.
        public init(bytes: Int, objects: Int, isAtLeast: Bool) {
            self.bytes = bytes
            self.objects = objects
            self.isAtLeast = isAtLeast
        }
    }

    /// The kind of holder that keeps an object alive.
    public struct Holder: Hashable, Sendable {
        /// The kinds of holders that a search distinguishes.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// A task that has not ended.
            case task
            /// A timer of a run loop.
            case timer
            /// An observer block of the notification center.
            case notificationCenter = "notification_center"
            /// A block that Dispatch keeps: an event handler of a source, or work that has not run yet.
            case dispatch
            /// An object of a type whose name ends with `Cache`.
            case cache
            /// A global or static variable.
            case global
            /// Another object whose own holder was not found.
            case object
        }

        /// The kind of the holder.
        public var kind: Kind

        /// Creates a holder of a kind.
        public init(kind: Kind) { self.kind = kind }
    }

    /// The object's class, qualified with its module; empty if no object was found at the address.
    public var type = ""
    /// The shortest cycle that keeps the object; without a cycle, the path from the object's holder.
    public var path: RetainPath?
    /// Other cycles that keep the object, so that breaking one cycle does not free it.
    public var furtherCycles: [RetainPath] = []
    /// How sure the reason is; ``Confidence/none`` if no reason was found.
    public var confidence = Confidence.none
    /// The number of strong references to the object that were not found, or were found without proof. References that the
    /// caller of `RetainPathFinder.explain(_:callerReferences:)` itself holds are not included. The number is 0 for a proven
    /// cycle. Without a path, these references are in objects that were not searched, or in memory that cannot be read.
    public var unexplainedReferences = 0
    /// The holder that a search found; `nil` for cycles, and if no search was made or the search found none.
    public var holder: Holder?
    /// The first instruction of each closure of the path, in the order of the path.
    public var closureSites: [ImageOffset] = []
    /// The global or static variable at the start of the path, if the path has one there.
    public var global: ImageOffset?
    /// The memory that would be freed with the object, not the cost of the search; `nil` if no object was found to measure.
    public var cost: Cost?

    /// Creates an explanation without a reason.
    public init() {}

    /// The references of ``path``; empty without a path.
    public var references: [RetainReference] { path?.references ?? [] }
    /// `true` if ``path`` is a cycle.
    public var isCycle: Bool { path?.isCycle ?? false }
}

/// An offset in a program or library, for a symbolizer: the offset of a closure's code or of a global variable.
public struct ImageOffset: Hashable, Sendable {
    /// The last component of the image's path; empty if it is not known.
    public var image: String
    /// The build id (ELF) or UUID (Mach-O), hexadecimal without dashes; empty if the image has none.
    public var imageIdentifier: String
    /// Bytes from the image's load bias (ELF) or header (Mach-O).
    public var offset: UInt64

    /// Creates an offset; see the properties of the same names.
    public init(image: String, imageIdentifier: String, offset: UInt64) {
        self.image = image
        self.imageIdentifier = imageIdentifier
        self.offset = offset
    }
}
