"""Words that say nothing of what a text is about: they are neither stored nor searched for."""

from __future__ import annotations

# Closed word classes of English, and the leftovers of cutting words at apostrophes.
ENGLISH = frozenset(
    """
    a about above after again against all also although am an and any are aren as at
    be became because been before being below between both but by
    can cannot could couldn did didn do does doesn doing don done down during
    each either else ever every few for from further
    had hadn has hasn have haven having he hence her here hers herself him himself his how however
    i if in into is isn it its itself just
    let ll me might more most much must my myself
    neither no nor not now of off on once only onto or other our ours ourselves out over own
    per please rather re same shall she should shouldn since so some such
    than that the their theirs them themselves then there these they this those though through
    thus to too under until up upon us ve very
    was wasn we were weren what when where whether which while who whom whose why will with within
    without won would wouldn yes yet you your yours yourself yourselves
    """.split()
)

# Characters that carry grammar rather than meaning. They still count in pairs, since 目的 and
# 了解 are words; a pair with one of them counts less (see `matching`).
CHINESE = frozenset(
    "的了是在和与及或而且但也都就又还很更最被把对为以于之其这那哪个们我你他她它"
    "什么怎吗呢吧啊哦呀嘛着过从到向由因所如何谁几多少有没不无会能可要请让给"
)

# Words of almost any question or report. They are stored and found, but count half: a small
# memory is too few texts to tell by their frequency that they say little.
GENERAL = frozenset(
    """
    based certain come came describe different example feel felt find finds first found
    gave get gets give go goes going gone good got great happen happened kind know last like
    long look made make makes many mention mentioned name named new often one particular
    people recent recently said say see sort specific start started take taken tell thing
    things think time times today told took try tried two type types use used uses using
    various want wanted wants way ways went work works year years day days
    """.split()
)

# Words that are in most notes of developers, and tell them apart least.
USUAL = frozenset(
    """
    add added adds use used uses using fix fixed fixes make makes made change changed changes
    set sets get gets new old need needs want wants work works like also see run runs file files
    code line lines value values name names test tests thing things way one two user assistant
    true false none null return returns def class import self string list data type function
    first last time day today please thanks let yes problem now good
    ask asked help great okay nice sure need needed something anything nothing everything someone
    pick put keep kept still back done using never always maybe really actually already instead
    however because without within every each both either other another next step steps part parts
    remove removed removes move moved replace replaced create created build built check checked
    update updated updates delete deleted open close read write start stop wait try call called
    left right true big small long short bit lot number end start whole able best better worst most
    least less many much few own seems seem looks look show shows shown think know knows
    src hour hours minute minutes second seconds week weeks month months monday tuesday wednesday
    january february march april june july august september october november december
    thursday friday saturday sunday today tomorrow question questions answer mb gb kb tb ms
    http https www com org net html gt lt nbsp amp ok null undefined
    """.split()
)
