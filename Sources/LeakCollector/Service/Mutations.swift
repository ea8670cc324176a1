/// The list of all mutations.
enum Mutations {
    static func all(erasure: Erasure, symbolUploads: SymbolUploadWorker, ingest: Ingest) -> [any Mutation] {
        DecisionMutation.all + CredentialMutation.all + CurrentReleaseMutation.all
            + ForgetMutation.all(erasure: erasure) + AcceptLeakMutation.all + MergeMutation.all
            + UndoMergeMutation.all + RulesMutation.all
            + [
                erasure, SymbolUploadMutation(uploads: symbolUploads, ingest: ingest),
                SymbolRemovalMutation(uploads: symbolUploads),
            ]
    }
}
