internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The images for which symbols are stored.
struct SymbolsResource: JSONResource {
    static let permission = Permission.listSymbols
    static let jsonPath = "/symbols"

    init(_: borrowing Request, _: Parameters) {}

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        writer.fields(of: try view.reader.symbols())
    }
}
