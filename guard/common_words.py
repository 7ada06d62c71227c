"""English words that are also names: searched as names only where they are written as one.

A guard that took the verb in "you will see" for a man called Will would stop every run. These
words are compared with their capitals; every other value is found whatever its case.
"""

COMMON_WORDS = frozenset(
    """
    able abundance age ages alma amber amity angel angle april arch archer arrow art ash aspen august aurora autumn
    baker ball bank banks bar baron barrel bass bath bay beach bean bear beauty bell belle berry best bill birch
    bird bishop black blade blake blaze bliss block bloom blossom blue bold bond book booth bourbon bow bowl bowman
    box boy branch brand brave bread breeze briar brick bride bridge bright brook brooks brown buck buddy bull burns
    bush butcher butler button cage camp candy cane canon card care carol carpenter carter case cash castle cat
    chamber chambers chance chancellor chandler chapel chapman charity chase cherry chuck church city clark clay
    clear cliff cloud clover coal cole collar cook cooper coral corn count court cox crane creed crisp cross crow
    crown cruise crystal curry cutter cypress daisy dale dame dance dash dawn day days dean dear deer destiny
    diamond dick dolly dove down drake draper dream drew driver duke dust eagle earl early east easter eden elder
    ember english evening ever fair faith fall farmer fashion faun fawn felicity fern field fields finch finder fine
    fish fisher fitting flagg fleet fleming flint flora flower flowers fly ford forest forester forge forrest
    fortune foster fountain fowler fox francs frank free freedom freeman french friday friend frost fry fuller gale
    game garden gardener gardner gate gates gay gene general genesis gentry german gift gill ginger glass glen glory
    glover gold golden good goodman goose grace grand grant grass grave graves gray great green grey grove guard gun
    gunner guy hail hale hall hand hands harbor hardy harm harmony harp harper harvest haste haven hawk hay hayes
    hazel head heart heath heather heaven height hero hide high hill hills hint hog holiday holler hollow holly home
    honey honor honour hood hook hope horn horse house hunt hunter ice india iris iron ivory ivy jack jade january
    jasmine jay jean jerry jet jewel jewels john jolly journey joy judge july june junior justice keen key kind king
    kirk kit kite knight lace ladd lady lake lamb lance land landing lane lark lash laurel law lawn lead leader leaf
    legend lemon levy liberty light lily linen link lion little loch lock long lord lore love lovely low luck lucky
    lyric mace magnolia mail main major male man manly manner maple marble march mariner mark marks marsh marshal
    marshall martin mason masters may mayor meadow meadows melody mercer merchant mercy merit merry mick mile miles
    mill miller mills mine mint mist monday monk moon moor more morning moss mount mountain myrtle neat new newman
    nick night noble noon nor norm north nova novel oak oaks ocean old olive opal orange orchard order owl own pace
    page paige paint painter palm palmer paradise park parker parks parson part pat patience patron patty pay peace
    peach pearl pen penny pepper petal petty pierce pike pilot pine piper pitt plant plum plumber point pole pond
    pool poor pope poppy port porter post potter power pray precious prentice press price pride priest prince
    princess promise prosper proud prudence quail queen quick rain ram ranger raven ray reader reason red reed
    reeves regent rein rest rice rich rider ridge riley ring rise river rivers road rob robin rock rocky roman root
    rose rosemary rover rowan royal ruby rue rule rush rusty ruth rye sable saffron sage sailor saint salt sand
    sandy saturday savage savannah sawyer scott sea season see self senior serenity sexton shade shadow shark sharp
    shaw shell shepherd shore short silk silver singer skinner sky slate slaughter slider small smart smith snow
    soldier sole song south spark speaker spear spencer spice spicer spring sprout square stable staff stag star
    stark steel steer sterling steward stock stone storm story stout strand strange street strong sue summer summers
    sun sunday sunny swan sweet swift sword tanner tate tawny taylor teal temple tender terry thistle thorn thursday
    tide tiger tim timber time toddy toll tom tower towers towns townsend trace trail tree trinity trip troy true
    trust tucker tuesday turner tyler underwood unity usher vale valentine valley van vance vera verity via victor
    victory vine viola violet virgin virtue vision wade wagner wait walker wall walls ward warden ware warren wash
    water waters watt way weaver webb wednesday weeks well wells west wharf wheat wheel wheeler whistler white will
    willing willow wills wind windy wine wing winner winter wise wish wit witt wolf wood woods woodward word work
    workman world worth wren wright yard year york young zion
    """.split()
)
