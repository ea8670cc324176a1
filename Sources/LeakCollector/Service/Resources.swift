/// The list of all resources, each with its addresses.
enum Resources {
    static let addresses: [ResourceAddress] = [
        .page(SummaryResource.self), .json(SummaryResource.self),
        .json(OverviewResource.self),
        .page(LeakResource.self), .json(LeakResource.self), .text(LeakResource.self),
        .page(ReportsResource.self), .json(ReportsResource.self),
        .json(TrendResource.self),
        .page(ClassResource.self), .json(ClassResource.self),
        .page(CausesResource.self), .json(CausesResource.self),
        .page(ReleasesResource.self), .json(ReleasesResource.self),
        .page(CompareResource.self), .json(ReleaseCheckResource.self), .text(ReleaseCheckResource.self),
        .json(AppsResource.self),
        .page(ForgetResource.self), .json(ForgetResource.self), .json(DiscardedResource.self),
        .page(MergeResource.self), .json(MergesResource.self),
        .page(RulesResource.self), .json(RulesResource.self),
        .json(SymbolsResource.self),
        .page(AccessResource.self), .json(KeysResource.self), .json(TokensResource.self),
        .page(EventsResource.self), .json(EventsResource.self), .text(EventsFeed.self),
        .page(AuditResource.self), .json(AuditResource.self),
        .page(RetentionResource.self), .json(RetentionResource.self),
    ]
}
