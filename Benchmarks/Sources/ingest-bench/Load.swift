import LoadTools

/// The load that every figure is measured with: 1,000 leaks whose frequencies follow Zipf's law, 100,000 installs,
/// reports of about 559 bytes with an address that occurs once, `count` 1.
struct Load {
    static let leaks = 1_000
    static let installs = 100_000
    static let reportBytes = 559

    private var generator = SplitMix64(state: 20_261_121)
    private let frequencies = Zipf(ranks: Self.leaks)

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
        let rank = frequencies.rank(at: generator.next())
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
}
