internal import LeakMessage

/// The frames of one exception that a stack can be made of.
struct FrameList {
    /// Twice as many as a stack has, since some may have no name.
    private static let limit = 2 * WireLimits.stackCount

    private var all = LastElements<SentryFrame>(limit)
    private var own = LastElements<SentryFrame>(limit)
    private var isOwnEmpty = true

    mutating func add(_ frame: SentryFrame) {
        if frame.isInApp { isOwnEmpty = false }
        guard frame.mayHaveName else { return }
        if frame.isInApp { own.append(frame) }
        if isOwnEmpty { all.append(frame) }
    }

    /// The calls as a report's stack: those of the app when there are any, the innermost last.
    ///
    /// A call is named by its function, or by where in which image it stands, never by its address, which is another
    /// one in each launch. One that has neither is left out.
    func stack(images: [BinaryImage]) -> [String] {
        let map = ImageMap(images)
        let frames = isOwnEmpty ? all.elements : own.elements
        // From the end, so that no more are named than a stack has.
        let names = frames.reversed().lazy.compactMap { $0.name(in: map) }.prefix(WireLimits.stackCount)
        return names.reversed()
    }
}

extension SentryFrame {
    fileprivate var mayHaveName: Bool { address != nil || function != nil }

    fileprivate func name(in map: ImageMap) -> String? {
        // What the loader says of a function whose name was stripped.
        if let function = function?.visible, function != "<redacted>" {
            return module?.visible.map { "\($0).\(function)" } ?? function
        }
        guard let address else { return nil }
        let image = map.image(at: address)
        guard let start = imageAddress ?? image?.address, start <= address,
            let path = [package, image?.name].firstGiven, let name = Self.baseName(path)
        else { return nil }
        return "\(name) + \(address - start)"
    }

    /// The last part of a path, without the dots that would part a module from a type.
    private static func baseName(_ path: String) -> String? {
        guard let last = path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last else { return nil }
        let name = last.hasSuffix(".dylib") ? last.dropLast(6) : last
        let spelt = String(String.UnicodeScalarView(name.unicodeScalars.map { $0 == "." ? "_" : $0 }))
        return spelt.visible
    }
}

/// Finds the image that an address is in.
struct ImageMap {
    private let images: [(address: UInt64, image: BinaryImage)]

    init(_ images: [BinaryImage]) {
        self.images = images.compactMap { image in image.address.map { ($0, image) } }
            .sorted { $0.address < $1.address }
    }

    /// The last image that starts at or before `address`, unless it ends before it.
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
