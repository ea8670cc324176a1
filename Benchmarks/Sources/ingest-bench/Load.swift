import Foundation

/// The load that every figure is measured with: 1,000 leaks whose frequencies follow Zipf's law, 100,000 installs,
/// reports of about 559 bytes with an address that occurs once, `count` 1.
struct Load {
    static let leaks = 1_000
    static let installs = 100_000
    static let reportBytes = 559

    private var generator = SplitMix64(state: 20_261_121)
    /// Cumulative weights, the last is the sum.
    private let weights: [Double]

    init() {
        var sum = 0.0
        weights = (1...Self.leaks).map { rank in
            sum += 1 / Double(rank)
            return sum
        }
    }

    /// One request's body.
    ///
    /// - Parameter count: reports in it; 1 makes a single report, more a batch.
    mutating func body(reports count: Int) -> [UInt8] {
        let install = "install-\(Int(generator.next() % UInt64(Self.installs)))"
        let app = #""app":{"id":"com.acme.shop","module":"Shop","version":"5.2.0","build":"812"}"#
        let device = #""device":{"os":"iOS","os_version":"19.1","model":"iPhone17,1"}"#
        let sender = #"\#(app),\#(device),"install":"\#(install)""#
        if count == 1 { return Array(report(adding: "," + sender).utf8) }
        let reports = (0..<count).map { _ in report(adding: "") }
        return Array(#"{\#(sender),"reports":[\#(reports.joined(separator: ","))]}"#.utf8)
    }

    private mutating func report(adding sender: String) -> String {
        let rank = self.rank()
        let name = "Shop.Screen\(rank)ViewController"
        let address = String(generator.next() >> 16, radix: 16)
        let id = "01936f2c-7c1e-7a44-9d0e-\(String(generator.next() >> 16 | 1 << 47, radix: 16).prefix(12))"
        var text = #"{"type":"leak","id":"\#(id)","kind":"view_controller","class":"\#(name)","#
        text +=
            #""stack":["UINavigationController","Shop.Flow\#(rank % 7)","\#(name)"],"reason":"dismissed","#
        text += #""waited_ms":1000,"alive":\#(rank % 4 + 1),"count":1,"#
        text += #""message":"VIEWCONTROLLER STILL IN MEMORY <\#(name): 0x\#(address)>","#
        text += #""keys":{"tab":"cart","ab_test":2},"log":["opened cart","tapped pay""#
        let end = "]\(sender)}"
        let missing = Self.reportBytes - text.utf8.count - end.utf8.count - 3
        if missing > 0 { text += ",\"" + String(repeating: "x", count: missing) + "\"" }
        return text + end
    }

    /// From 0, the most frequent.
    private mutating func rank() -> Int {
        let point = Double(generator.next() >> 11) / Double(1 << 53) * weights[weights.count - 1]
        var low = 0
        var high = weights.count - 1
        while low < high {
            let middle = (low + high) / 2
            if weights[middle] < point { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.
struct SplitMix64 {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
