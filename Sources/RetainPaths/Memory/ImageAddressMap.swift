internal import LeakMessage

/// The program and the libraries that this process has loaded.
struct ImageAddressMap: Sendable {
    struct Image: Sendable {
        /// The segments in the order of their addresses. Memory between them may belong to other owners, or be unmapped.
        var segments: [Segment]
        /// The address from which offsets count: the load bias in ELF, the header in Mach-O.
        var base: UInt
        /// The last component of the path; `nil` for the program itself if the system does not provide it.
        var name: String?
        /// The build id (ELF) or UUID (Mach-O), hexadecimal without dashes.
        var identifier: String?
        var isProgram: Bool

        /// The addresses of the writable segments, which contain the image's global variables.
        var writableRanges: [Range<UInt>] { segments.filter(\.isWritable).map(\.addresses) }
    }

    /// Memory that the loader has mapped for an image, and its permitted use.
    struct Segment: Sendable {
        var addresses: Range<UInt>
        var isReadable: Bool
        var isWritable: Bool
        var isExecutable: Bool
    }

    /// The version of the list. On Linux it changes with every image that is loaded or unloaded; on Apple's systems it is the
    /// number of images.
    let version: UInt64
    let images: [Image]
    /// The bounds of the segments of all images, in the order of their addresses. They are stored in arrays of their own,
    /// because each check of an address searches them.
    private let starts: [UInt]
    private let ends: [UInt]
    private let segments: [(segment: Segment, image: Int)]

    /// Lists the images that are loaded now.
    init() { self.init(version: Self.currentVersion, images: Self.loadedImages()) }

    init(version: UInt64, images: [Image]) {
        self.version = version
        self.images = images
        segments = images.enumerated()
            .flatMap { index, image in image.segments.map { (segment: $0, image: index) } }
            .filter { !$0.segment.addresses.isEmpty }
            .sorted { $0.segment.addresses.lowerBound < $1.segment.addresses.lowerBound }
        starts = segments.map(\.segment.addresses.lowerBound)
        ends = segments.map(\.segment.addresses.upperBound)
    }

    /// `true` if images were loaded or unloaded since this list was made.
    var isOutdated: Bool { version != Self.currentVersion }

    /// Returns `true` if bytes lie in one readable segment of an image.
    @inline(__always)
    func contains(_ address: UInt, count: UInt = 1) -> Bool {
        guard let index = index(of: address), segments[index].segment.isReadable else { return false }
        return count <= ends[index] &- address
    }

    /// Returns `true` if an address lies in an executable segment of an image.
    func isCode(_ address: UInt) -> Bool {
        index(of: address).map { segments[$0].segment.isExecutable } ?? false
    }

    /// Returns the image of an address and the offset in it; `nil` if the address is in no image.
    func offset(of address: UInt) -> ImageOffset? {
        index(of: address).map { index in
            let image = images[segments[index].image]
            return ImageOffset(
                image: image.name ?? "", imageIdentifier: image.identifier ?? "",
                offset: UInt64(address &- image.base))
        }
    }

    /// Returns the index of the segment that contains an address.
    private func index(of address: UInt) -> Int? {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= address { low = middle + 1 } else { high = middle }
        }
        guard low > 0, address < ends[low - 1] else { return nil }
        return low - 1
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }

    static func lastComponent(_ path: String) -> String? { path.split(separator: "/").last.map(String.init) }
}
