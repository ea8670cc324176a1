/// One side of a release check: releases, or one build of them, whose counts are added up.
package struct ReleaseCheckSide: Sendable {
    /// A build of the releases.
    package struct Build: Sendable {
        package var buildRowID: Int64
        package var name: String
        /// ``VersionOrder/key`` of ``name``.
        package var order: [UInt8]

        /// The least ``VersionOrder/key`` of an earlier build to compare with: a build with a number is not compared with a
        /// build without one, such as `local`.
        package var floor: [UInt8] { VersionOrder(name).isNumbered ? VersionOrder.numberedLowerBound : [] }

        package init(rowID: Int64, name: String, order: [UInt8]) {
            buildRowID = rowID
            self.name = name
            self.order = order
        }
    }

    /// Row IDs in `release`. Several if their versions rank the same, as 5.2 and 5.2.0 do.
    package var releaseRowIDs: [Int64]
    /// `nil` for all builds together.
    package var build: Build?

    package init(releaseRowIDs: [Int64], build: Build?) {
        self.releaseRowIDs = releaseRowIDs
        self.build = build
    }
}

/// The baseline of a release check, and the range of versions and builds up to it. A leak that was seen in this range is not
/// new.
package struct ReleaseCheckBaseline: Sendable {
    /// The releases to compare with; `nil` if there is no earlier version.
    package var side: ReleaseCheckSide?
    /// The baseline as the result of the release check names it; `nil` if there is no earlier version.
    package var resultSide: ReleaseCheck.Side?
    /// The ``VersionOrder/key`` at which the range of versions ends; a version with this key is not in the range. All builds of
    /// the versions in the range belong to it.
    package var bound: [UInt8]
    /// The lowest ``VersionOrder/key`` of a version in the range.
    package var floor: [UInt8]
    /// The highest ``VersionOrder/key`` of the builds of the checked version that also belong to the range; `nil` if none does.
    package var buildBound: [UInt8]?

    package init(
        side: ReleaseCheckSide? = nil, resultSide: ReleaseCheck.Side? = nil, bound: [UInt8], floor: [UInt8]
    ) {
        self.side = side
        self.resultSide = resultSide
        self.bound = bound
        self.floor = floor
    }

    /// Creates a baseline that is an earlier build of the checked version.
    package init(
        earlierBuild build: ReleaseCheckSide.Build, of version: ReleaseCheckSide, _ name: String,
        floor: [UInt8]
    ) {
        self.init(
            side: ReleaseCheckSide(releaseRowIDs: version.releaseRowIDs, build: build),
            resultSide: ReleaseCheck.Side(version: name, build: build.name),
            bound: VersionOrder(name).sameRankLowerBound,
            floor: floor)
        buildBound = build.order
    }

    /// Creates the baseline that the query names.
    ///
    /// - Parameter side: the releases of the named baseline. Its build is `nil` if the query names no build, or a build that
    ///   does not exist.
    /// - Throws: ``StoreError/Reason/invalidArgument`` for a baseline that is not older than the version, or a build without
    ///   reports.
    package init(
        _ side: ReleaseCheckSide, of query: ReleaseCheckQuery, _ version: ReleaseCheckSide, floor: [UInt8]
    ) throws(StoreError) {
        let text = query.baseline ?? ""
        let (baselineOrder, versionOrder) = (VersionOrder(text), VersionOrder(query.version))
        if baselineOrder.sameRankLowerBound == versionOrder.sameRankLowerBound, let build = version.build,
            let baselineBuild = side.build,
            baselineBuild.order.lexicographicallyPrecedes(build.order)
        {
            self.init(earlierBuild: baselineBuild, of: side, text, floor: floor)
            return
        }
        guard baselineOrder.sameRankLowerBound.lexicographicallyPrecedes(versionOrder.sameRankLowerBound)
        else {
            let name = text + (query.baselineBuild.map { " (build \($0))" } ?? "")
            let than = query.version + (query.build.map { " (build \($0))" } ?? "")
            throw StoreError(
                .invalidArgument, "the baseline \(name) is not older than \(than); name an older one")
        }
        if let name = query.baselineBuild, side.build == nil, !side.releaseRowIDs.isEmpty {
            throw StoreError(
                .invalidArgument, "there are no reports of build \(name) of \(text); name another build")
        }
        self.init(
            side: side, resultSide: ReleaseCheck.Side(version: text, build: query.baselineBuild),
            bound: baselineOrder.higherRankLowerBound, floor: floor)
    }
}

extension ReleaseCheck {
    /// Returns the lowest ``VersionOrder/key`` of the versions to compare with. A version without a number, such as `unknown`,
    /// may be of any age, so a numbered version is not compared with it, unless the query names it as the baseline.
    ///
    /// - Parameter baseline: the version that the query names; `nil` if it names none.
    package static func floor(baseline: String?, of version: String) -> [UInt8] {
        [baseline, version].allSatisfy { $0.map { VersionOrder($0).isNumbered } ?? true }
            ? VersionOrder.numberedLowerBound : []
    }
}
