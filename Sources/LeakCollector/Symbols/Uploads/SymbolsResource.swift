internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The images that symbols were uploaded of.
struct SymbolsResource: JSONResource {
    static let jsonPath = "/symbols"

    init(_: borrowing Request, _: Parameters) {}

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        writer.fields(of: try view.reader.symbols())
    }
}
