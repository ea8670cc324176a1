internal import LeakMessage

/// The programs and libraries that this process has loaded.
struct LoadedImages: Sendable {
    struct Image: Sendable {
        /// From the first to the last byte that is mapped for it.
        var addresses: Range<UInt>
        /// Offsets count from this address: the load bias in ELF, the header in Mach-O.
        var base: UInt
        /// The last component of the path; `nil` for the program itself where the system does not tell.
        var name: String?
        /// The build id (ELF) or UUID (Mach-O), hexadecimal without dashes.
        var identifier: String?
        /// The segments that a program can write to, where its global variables are.
        var writable: [Range<UInt>]
        var isProgram: Bool
    }

    /// Changes with every image that is loaded or unloaded.
    let version: UInt64
    /// In the order of their addresses.
    let images: [Image]
    /// The bounds of `images`, alone in memory because every validation searches them.
    private let starts: [UInt]
    private let ends: [UInt]

    /// Lists the images that are loaded now.
    init() { self.init(version: Self.currentVersion, images: Self.loadedImages()) }

    init(version: UInt64, images: [Image]) {
        self.version = version
        let sorted = images.filter { !$0.addresses.isEmpty }
            .sorted { $0.addresses.lowerBound < $1.addresses.lowerBound }
        self.images = sorted
        starts = sorted.map(\.addresses.lowerBound)
        ends = sorted.map(\.addresses.upperBound)
    }

    /// True if images came or went since this list was made.
    var isOutdated: Bool { version != Self.currentVersion }

    /// Returns whether an address lies in an image.
    @inline(__always)
    func contains(_ address: UInt) -> Bool { index(of: address) != nil }

    func image(of address: UInt) -> Image? { index(of: address).map { images[$0] } }

    func offset(of address: UInt) -> ImageOffset? {
        image(of: address).map { image in
            ImageOffset(
                image: image.name ?? "", imageIdentifier: image.identifier ?? "",
                offset: UInt64(address &- image.base))
        }
    }

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
