/// The list of all mutations.
enum Mutations {
    static func all(erasure: Erasure, symbols: SymbolUploadWorker, ingest: Ingest) -> [any Mutation] {
        DecisionMutation.all + CredentialMutation.all
            + [
                erasure, SymbolUploadMutation(uploads: symbols, ingest: ingest),
                SymbolRemovalMutation(uploads: symbols),
            ]
    }
}
