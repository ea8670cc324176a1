internal import LeakGrammar
internal import LeakMessage

/// The frames of one exception or thread, from which the stack of a report is made.
struct FrameList {
    /// Maximum number of frames that are kept: twice as many as a stack may have, because some frames may have no name.
    private static let limit = 2 * WireLimits.stackCount

    private var allFrames = LastElements<SentryFrame>(limit)
    private var appFrames = LastElements<SentryFrame>(limit)
    private var hasAppFrame = false

    mutating func add(_ frame: SentryFrame) {
        if frame.isInApp { hasAppFrame = true }
        guard frame.mayHaveName else { return }
        if frame.isInApp { appFrames.append(frame) }
        if !hasAppFrame { allFrames.append(frame) }
    }

    /// Returns the frames as the stack of a report: only those of the app, if there are any.
    ///
    /// If any frame has the name of a function, the elements are call frames, the innermost first. Otherwise the elements are
    /// offsets in images, the innermost last. Offsets are used because addresses differ in every launch. A frame with neither
    /// function nor offset is left out.
    func stack(images: [BinaryImage]) -> [String] {
        let map = ImageMap(images)
        let frames = hasAppFrame ? appFrames.elements : allFrames.elements
        // Starts with the innermost frame, and returns no more elements than a stack may have.
        if frames.contains(where: { $0.functionName != nil }) {
            return Array(
                frames.reversed().lazy.compactMap { $0.callFrame(in: map) }.prefix(WireLimits.stackCount))
        }
        let names = frames.reversed().lazy.compactMap { $0.imageAndOffset(in: map) }.prefix(
            WireLimits.stackCount)
        return names.reversed()
    }

    /// Returns the name of the innermost frame that has a name: its function, or else its image and offset. Version 1 of the
    /// grouping rules uses this name as the last element of the stack.
    func innermostName(images: [BinaryImage]) -> String? {
        let map = ImageMap(images)
        let frames = hasAppFrame ? appFrames.elements : allFrames.elements
        return frames.reversed().lazy.compactMap { $0.qualifiedFunction ?? $0.imageAndOffset(in: map) }.first
    }
}

/// One thread of an event.
struct SentryThread {
    var isCrashed = false
    var isCurrent = false
    var frames = FrameList()
}

/// The choice of the thread that an event is about: the thread that crashed, else the current thread, else the only thread.
struct ThreadSelection {
    private var chosen: SentryThread?
    private var threadCount = 0

    mutating func add(_ thread: SentryThread) {
        threadCount += 1
        guard let chosen else {
            self.chosen = thread
            return
        }
        if !chosen.isCrashed, thread.isCrashed || thread.isCurrent && !chosen.isCurrent {
            self.chosen = thread
        }
    }

    /// The frames of the chosen thread; `nil` without threads, or if there are several and none is marked as crashed or
    /// current.
    var frames: FrameList? {
        guard let chosen, threadCount == 1 || chosen.isCrashed || chosen.isCurrent else { return nil }
        return chosen.frames
    }
}

extension SentryFrame {
    fileprivate var mayHaveName: Bool { address != nil || function != nil }

    /// The name of the function; `nil` if it has no visible character, and for `<redacted>`, which stands for a name that was
    /// stripped.
    fileprivate var functionName: String? {
        function?.visible.flatMap { $0 == "<redacted>" ? nil : $0 }
    }

    /// The function as it was sent, with its module in front.
    fileprivate var qualifiedFunction: String? {
        functionName.map { function in module?.visible.map { "\($0).\(function)" } ?? function }
    }

    /// Returns the frame as JSON, which ``CallFrame`` reads; `nil` for a frame with neither a function nor an address in an
    /// image, or for a frame whose JSON is too long for an element of a stack.
    fileprivate func callFrame(in map: ImageMap) -> String? {
        let image = address.flatMap { map.image(at: $0) }
        let start = [imageAddress, image?.address].compactMap(\.self).first
        let isInImage = address.map { address in start.map { $0 <= address } ?? false } ?? false
        guard functionName != nil || isInImage else { return nil }
        // Long names are shortened until the frame is short enough for an element of a stack.
        for limit in [WireLimits.elementBytes, 256, 128, 32] {
            var writer = JSONWriter(capacity: WireLimits.elementBytes)
            writer.object { writer in
                func field(_ name: String, _ text: String?) {
                    if let text = text?.visible { writer.field(name, text.shortened(to: limit)) }
                }
                field(
                    "function", functionName.map { $0.utf8.count > limit ? CallFrame.functionName($0) : $0 })
                field("module", module)
                // If function and module are known, only the path of an image of the system adds information.
                let path = [package, image?.name].firstNonBlank.flatMap(Self.imagePath)
                if functionName == nil || module?.visible == nil
                    || path.map(SystemNames.isSystemPath) == true
                {
                    field("package", path)
                }
                if isInImage, let address, let start {
                    writer.field("image_addr", "0x" + String(start, radix: 16))
                    writer.field("instruction_addr", "0x" + String(address, radix: 16))
                }
                if isInApp { writer.field("in_app", true) }
            }
            if writer.bytes.count <= WireLimits.elementBytes {
                return String(decoding: writer.bytes, as: UTF8.self)
            }
        }
        return nil
    }

    /// Returns the path of an image of the system, but only the last component of any other path, because it may contain the
    /// name of a person.
    private static func imagePath(_ path: String) -> String? {
        if SystemNames.isSystemPath(path) { return path }
        return path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init)
    }

    /// Returns the image's name and the offset in it, such as `Shop + 4660`; `nil` if one of them is not known.
    fileprivate func imageAndOffset(in map: ImageMap) -> String? {
        guard let address else { return nil }
        let image = map.image(at: address)
        guard let start = imageAddress ?? image?.address, start <= address,
            let path = [package, image?.name].firstNonBlank, let name = Self.baseName(path)
        else { return nil }
        return "\(name) + \(address - start)"
    }

    /// Returns the last component of a path without `.dylib`. Each dot becomes `_`, because a dot would separate a module from
    /// a type.
    private static func baseName(_ path: String) -> String? {
        guard let last = path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last else { return nil }
        let name = last.hasSuffix(".dylib") ? last.dropLast(6) : last
        let spelt = String(String.UnicodeScalarView(name.unicodeScalars.map { $0 == "." ? "_" : $0 }))
        return spelt.visible
    }
}

/// The images of a process by address, to find the image that contains an address.
struct ImageMap {
    private let images: [(address: UInt64, image: BinaryImage)]

    init(_ images: [BinaryImage]) {
        self.images = images.compactMap { image in image.address.map { ($0, image) } }
            .sorted { $0.address < $1.address }
    }

    /// Returns the last image that starts at or before `address`; `nil` if there is none, or if that image ends at or before
    /// `address`.
    func image(at address: UInt64) -> BinaryImage? {
        var (low, high) = (0, images.count)
        while low < high {
            let middle = (low + high) / 2
            if images[middle].address <= address { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let found = images[low - 1]
        if let size = found.image.size, size > 0, address - found.address >= size { return nil }
        return found.image
    }
}
