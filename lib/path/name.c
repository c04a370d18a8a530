/*
 * Names of places, rivers, lakes and landmarks. They are not from the real world: a grammar combines the sounds of a region's tongue.
 *
 * A name encodes a number of 20 bits, unique to the cell among 1,024 x 1,024 cells: consonants, vowel, consonants, vowel, ending.
 * Consonants and vowels alternate, and endings begin with a consonant, so two numbers have two names: no two towns, and no two
 * villages, of that many cells have the same name in a tongue. For landmarks and rivers' sources, whose levels have their own cells,
 * the number has the cell among 512 x 512, and one of four levels. A name with an offensive word in it is written another way.
 */
#include "../base/hash.h"
#include "../drain/drained.h"

enum {
    TONGUES = 5,
    TONGUE_LOG2 = 20, /* samples of level 0 across the square of a tongue */
    HALF = 10,        /* bits of a cell's number along each axis */
    ALL = (1 << HALF) - 1,
};

enum { VILLAGE, TOWN, PEAK, RIVER, LAKE, SEA, RANGE, CAPE, BAY, ISLAND, TRACT, BANK, NAMES };

/* clang-format off */
static const struct tongue {
    const char *first[32], *vowel[8], *middle[32], *ending[NAMES][16];
} tongues[TONGUES] = {
    {{"b", "br", "d", "dr", "f", "g", "gr", "h", "j", "k", "kl", "kr", "l", "m", "n", "r", "s", "sk", "sn", "st", "t", "th", "tr", "v",
     "vr", "fl", "gl", "sl", "sm", "sv", "thr", "str"}, {"a", "e", "i", "o", "u", "ei", "au", "oa"}, {"l", "r", "n", "m", "d", "g", "k",
     "v", "ld", "rd", "nd", "lm", "rn", "rg", "ng", "lv", "rv", "ll", "nn", "kk", "dd", "gg", "lk", "rk", "nk", "ls", "rs", "ns", "lt",
     "rt", "nt", "lg"}, {[VILLAGE] = {"gar", "del", "mir", "nar", "ven", "hol", "ker", "dun", "ral", "lun", "geth", "reth", "nor",
     "mal", "vor", "sel"}, [TOWN] = {"gard", "delm", "mirn", "narth", "vend", "holm", "kerrun", "durn", "rald", "lunder", "gethar",
     "rethin", "norr", "malk", "vorn", "selt"}, [PEAK] = {"grath", "drak", "skarn", "thurr", "koldr", "brann", "stegg", "varr", "rokk",
     "haldr", "kroth", "mundr", "tirr", "golth", "snarr", "veld"}, [RIVER] = {"va", "nda", "lva", "rra", "dra", "sna", "lda", "rga", "mna", "gla", "tra", "rsa", "vra", "nna", "ska", "lma"}, [LAKE] = {"sva", "moll", "dren", "visk", "lomm", "ralm", "nysk", "girn", "hesk", "solm", "tinn", "varm", "kolv", "blenn", "stirn", "dolv"}, [SEA] = {"havr", "svall", "drun", "mard", "vegg", "flodh", "ranth", "skeld", "gulm", "holn", "tidh", "brim", "sarr", "lagn", "wyrm", "norrd"}, [RANGE] = {"hrygg", "skarl", "brekk", "hals", "kamvr", "grindr", "tandr", "hvarf", "folgr", "knaur", "hamrr", "skogl", "vardh", "thrang", "strang", "bolth"}, [CAPE] = {"nask", "hofr", "snutr", "klakk", "tangr", "rannd", "staprr", "gnupr", "mulr", "skagr", "nefr", "hyrn", "drang", "turnn", "bjorl", "sneid"}, [BAY] = {"vikr", "fjard", "bugth", "lagr", "vagr", "hopr", "krikr", "pollr", "sundr", "kylr", "varf", "nausr", "flair", "dyrn", "gront", "leirn"}, [ISLAND] = {"holmr", "oyn", "skerr", "eyrr", "vardn", "sandr", "kalvn", "rifn", "grynn", "tangn", "flesk", "boen", "hellr", "utsk", "svarn", "lokk"}, [TRACT] = {"mork", "vang", "heidh", "slett", "myrr", "teigr", "lundh", "vollr", "brautn", "dalr", "flatn", "grundn", "hagi", "skeid", "moenn", "engr"}, [BANK] = {"grunnr", "bryn", "holv", "skalln", "rifr", "boddn", "sandn", "leirv", "medh", "flakn", "kampr", "nessk", "hraun", "klettr", "bankn", "stallr"}}},
    {{"b", "d", "f", "l", "m", "n", "p", "r", "s", "t", "v", "z", "c", "ch", "sl", "bl", "br", "cl", "cr", "dr", "fl", "fr", "gl", "gr",
     "pl", "pr", "tr", "vl", "w", "h", "j", "y"}, {"a", "e", "i", "o", "u", "ia", "ea", "io"}, {"l", "r", "n", "m", "s", "t", "v", "d",
     "z", "c", "ll", "rr", "nn", "ss", "tt", "lv", "rv", "nd", "ng", "st", "rn", "rl", "lm", "mb", "nc", "rt", "sc", "ld", "lt", "mm",
     "rd", "rm"}, {[VILLAGE] = {"ra", "la", "na", "sa", "ta", "va", "da", "lo", "ro", "no", "so", "to", "ne", "re", "le", "se"}, [TOWN]
     = {"rana", "lana", "nessa", "talla", "varra", "dorra", "losse", "rolle", "norre", "salla", "tirra", "vanne", "dene", "resta",
     "lesta", "sorre"}, [PEAK] = {"gorra", "zarro", "tonda", "velco", "dranna", "nevra", "lambro", "corzo", "mirro", "taldo", "bracca",
     "sendra", "furlo", "pergo", "luzza", "dolca"}, [RIVER] = {"nza", "rno", "via", "dda", "mera", "ssa", "gna", "lva", "ntia", "rina", "sone", "tra", "vre", "mbra", "delle", "nia"}, [LAKE] = {"lena", "messa", "zolla", "vanna", "corra", "telva", "nirra", "dolma", "sivra", "ganna", "pelva", "risma", "lurna", "fenza", "tarra", "scola"}, [SEA] = {"marsa", "salla", "ronda", "velva", "marna", "tessa", "gulta", "lanta", "corda", "sonda", "pelga", "brina", "dorsa", "vasta", "malva", "tirna"}, [RANGE] = {"serva", "culma", "gresta", "lorza", "bancra", "stella", "ravola", "granda", "selvra", "pendra", "colmia", "tressa", "vaudra", "brenta", "zenara", "ferrol"}, [CAPE] = {"punta", "corvo", "testra", "riccia", "lanza", "bocca", "spuna", "gardo", "marno", "falca", "tolva", "nasca", "trigo", "velno", "sporza", "dentra"}, [BAY] = {"senna", "golva", "radda", "calla", "porta", "lagna", "concia", "rivola", "bagna", "fosca", "nidra", "sinea", "mollia", "covara", "darsia", "glova"}, [ISLAND] = {"isca", "lotta", "corsa", "gorna", "sardo", "pelma", "tremia", "pontra", "zanne", "elbra", "lipra", "ustra", "caprea", "maretta", "favria", "procea"}, [TRACT] = {"pianta", "campra", "selvo", "bosca", "macchia", "valda", "pratta", "landra", "stepra", "grotta", "brugha", "morga", "terna", "plagia", "lucara", "forra"}, [BANK] = {"secca", "grona", "solfa", "brancra", "fondra", "ressa", "scolla", "banda", "marzia", "gratta", "pessa", "cresta", "lumba", "sirta", "ralda", "ventra"}}},
    {{"b", "d", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "w", "y", "z", "bw", "dw", "gw", "kw", "mw", "ny", "ky", "my",
     "ts", "dz", "ch", "zw", "nd", "ng", "mb", "nj"}, {"a", "e", "i", "o", "u", "aa", "ee", "oo"}, {"b", "d", "g", "k", "l", "m", "n",
     "p", "r", "s", "t", "w", "y", "z", "mb", "nd", "ng", "nz", "nj", "mp", "nt", "nk", "mw", "ny", "ky", "ts", "ch", "zw", "ngw",
     "ndw", "mbw", "gw"}, {[VILLAGE] = {"ba", "da", "ga", "ka", "la", "ma", "na", "pa", "ra", "sa", "ta", "wa", "ya", "za", "ko", "lo"},
     [TOWN] = {"bara", "dali", "gari", "kale", "lamu", "mari", "nali", "pala", "rani", "sani", "tano", "wali", "yani", "zale", "kolo",
     "lomu"}, [PEAK] = {"kiru", "goro", "mero", "dunga", "kalo", "saru", "tombe", "zolo", "bandu", "gomba", "liro", "ndalo", "panga",
     "rumbe", "wenza", "yaro"}, [RIVER] = {"zi", "mbo", "nga", "zua", "kango", "ruma", "lezi", "wembe", "nde", "bira", "mazi", "suva", "tana", "roko", "gwe", "yobe"}, [LAKE] = {"zimu", "lamba", "kundi", "nyamo", "wela", "ganzu", "mbiro", "tula", "yezi", "ruvi", "solo", "pembu", "dzila", "kolwe", "nangi", "bwiro"}, [SEA] = {"harbi", "suwa", "bandu", "majo", "wande", "kwabo", "ndulu", "ziwe", "pwaro", "mbeka", "nyali", "tambo", "rulu", "gomi", "samako", "yumbe"}, [RANGE] = {"gamba", "milwa", "ndoro", "tunga", "safu", "bondwe", "nyiku", "rongo", "zamba", "mbeyo", "lundu", "kanza", "tewe", "hambo", "dzuru", "walimu"}, [CAPE] = {"rasu", "mbia", "kozi", "pembe", "tipu", "dzolo", "sungu", "njiro", "gowe", "lisha", "bazo", "kwani", "tombo", "nyala", "vumba", "zeki"}, [BAY] = {"ghubo", "kilwe", "mafi", "lindu", "tanga", "bandi", "somba", "wete", "nguru", "dongo", "pwani", "mtwe", "shoka", "rufi", "jongo", "yembe"}, [ISLAND] = {"siwa", "kisira", "ungu", "pembo", "mafira", "lamo", "kilira", "zanzo", "visi", "ndosi", "rubo", "ukere", "bumbi", "goziba", "lolwe", "mfanga"}, [TRACT] = {"savu", "nyika", "mbuga", "tambarra", "porini", "seren", "bonga", "uwanda", "jangwa", "msitu", "laiki", "rufa", "konge", "ruwa", "tsavi", "malungo"}, [BANK] = {"mwamba", "fungu", "kina", "pwezi", "chanza", "mlinga", "sahali", "tengo", "kombe", "jabali", "rasha", "nungwe", "tumbi", "shimo", "bamvua", "kasa"}}},
    {{"b", "d", "f", "g", "h", "j", "k", "kh", "l", "m", "n", "q", "r", "s", "zh", "t", "th", "z", "dh", "gh", "dr", "gr", "kr", "zw",
     "sr", "tr", "zr", "br", "fr", "khr", "ghr", "thr"}, {"a", "e", "i", "o", "u", "ai", "ua", "ei"}, {"b", "d", "f", "g", "h", "j",
     "k", "kh", "l", "m", "n", "q", "r", "s", "zh", "t", "z", "dd", "ll", "mm", "nn", "rr", "ss", "zz", "rd", "rk", "rm", "rn", "rz",
     "zd", "zr", "br"}, {[VILLAGE] = {"bar", "dir", "fan", "gan", "har", "jan", "kar", "lan", "mar", "nar", "qar", "ran", "sar", "tan",
     "zar", "dan"}, [TOWN] = {"barad", "dirun", "fanar", "gadir", "haran", "jadar", "karan", "larun", "madar", "nadir", "qaran",
     "radan", "sarun", "tarad", "zadir", "darun"}, [PEAK] = {"jarz", "tagh", "kuhr", "zagh", "qarn", "barz", "razh", "tarz", "kharz",
     "zandr", "marz", "garm", "hazr", "naqr", "darq", "shurz"}, [RIVER] = {"rudh", "zav", "shut", "nahl", "dizu", "surq", "rokh", "lubar", "garu", "dush", "namu", "tirun", "vazh", "bekh", "qul", "yarr"}, [LAKE] = {"khur", "namad", "zohr", "garz", "dahm", "lurz", "shahn", "talm", "barq", "nuhr", "miraq", "zurn", "hamr", "rokn", "qazr", "vahn"}, [SEA] = {"daryz", "qulz", "bohrn", "samrudh", "khalrz", "murz", "zarya", "derj", "nilz", "badr", "gharq", "rumz", "tangh", "sahilr", "jazr", "murj"}, [RANGE] = {"kohr", "silsa", "rashk", "zagr", "burz", "tiraz", "dashn", "sangr", "parmur", "hindr", "garzh", "taurz", "shahr", "kamrz", "bandh", "roshn"}, [CAPE] = {"rasn", "dumagh", "nokr", "tizh", "sharn", "daman", "gushn", "zabr", "lakh", "punzh", "karzh", "mashr", "najd", "tarf", "qamz", "dahr"}, [BAY] = {"khalj", "girdn", "hawr", "kunj", "bandr", "dahan", "jibn", "marsn", "zirq", "lavr", "khorz", "shakl", "tangr", "nimr", "pahl", "sukn"}, [ISLAND] = {"kishn", "qeshr", "larakh", "hengr", "jazirn", "abumz", "tunbr", "sirrn", "failk", "bubyn", "hormz", "lavn", "minur", "khargh", "farsr", "shidv"}, [TRACT] = {"dasht", "lutr", "kavirn", "jangl", "bishn", "marghz", "sahrn", "rigzar", "chamn", "zamr", "namakz", "bagrz", "shivrn", "kuyr", "gilzn", "turn"}, [BANK] = {"sakhr", "fasht", "riqz", "zuhr", "qasr", "hadbr", "mirz", "kharb", "nagzr", "talb", "rukn", "gadhr", "shabb", "hayr", "bahrn", "zolm"}}},
    {{"b", "c", "d", "f", "g", "h", "l", "ll", "m", "n", "p", "r", "rh", "s", "t", "th", "w", "br", "cr", "dr", "gr", "pr", "tr", "cl",
     "gl", "fl", "bl", "gw", "chw", "sw", "hw", "pw"}, {"a", "e", "i", "o", "u", "y", "ae", "oe"}, {"l", "r", "n", "m", "d", "dd", "f",
     "g", "th", "ll", "rr", "nn", "rn", "rd", "rth", "ld", "lth", "nd", "nw", "rw", "lw", "lm", "ln", "lf", "rf", "rg", "rl", "ch",
     "sg", "st", "sn", "fn"}, {[VILLAGE] = {"wen", "bryn", "lan", "dor", "fal", "gal", "hen", "lon", "mor", "nan", "hin", "ryn", "sel",
     "tor", "wyn", "den"}, [TOWN] = {"wenor", "brynor", "lanor", "doreth", "faleth", "galor", "hendor", "lonor", "moreth", "nanor",
     "hindor", "ryndor", "seleth", "torwen", "wynor", "denor"}, [PEAK] = {"bannar", "creth", "pwyr", "moeth", "treth", "garrad", "dwyr",
     "brach", "cernor", "fannor", "gleth", "hwyr", "lletha", "penthor", "rhudd", "sarth"}, [RIVER] = {"lwy", "thys", "rwyn", "dwen", "fyr", "gwys", "nwy", "rhea", "lis", "tawy", "mun", "cleth", "swy", "tyf", "wor", "hael"}, [LAKE] = {"lleth", "grwn", "tegw", "mwyn", "dylf", "cwnn", "hirw", "pwlw", "glann", "sawd", "lorw", "nethw", "gwern", "dollw", "brwn", "rysarn"}, [SEA] = {"morw", "llyrn", "helw", "weilg", "tonw", "penweg", "dyfn", "gweil", "llanw", "brigh", "merin", "swnn", "traen", "hallt", "rhyn", "wendon"}, [RANGE] = {"mynar", "cribyn", "cefnw", "brynt", "garthw", "drumw", "moelth", "trumw", "bannwy", "carnw", "llethr", "penyth", "rhosw", "talcw", "gwaunn", "fforl"}, [CAPE] = {"penrh", "trwyn", "rhynt", "talarn", "garrw", "brigyn", "pwynt", "duryn", "clogw", "serthw", "gilf", "llanf", "morfa", "tywn", "hwlf", "corsw"}, [BAY] = {"baew", "cilan", "porthw", "traeth", "llwyn", "geuw", "hafan", "morlan", "gwylw", "ddol", "cildw", "penllw", "bronw", "rhydw", "lluest", "dyffr"}, [ISLAND] = {"ynysw", "enllir", "sgomr", "echnw", "fflat", "dewin", "moelr", "ronech", "skokr", "gwalch", "barsyn", "carreg", "penmw", "seirw", "cribin", "llanddw"}, [TRACT] = {"coedw", "rhosl", "gweun", "morfan", "dolydd", "maesw", "cwmrh", "fforestr", "gwyllt", "tiroedd", "mawnw", "perthw", "cadrw", "bronll", "hirdir", "glaswn"}, [BANK] = {"banc", "sarnw", "traethl", "creigw", "gwaelw", "moryd", "bassw", "llethw", "cefnd", "gorsw", "silfw", "ymylw", "tonnw", "crugw", "basdr", "llechw"}}},
};
/* clang-format on */

/* Permutes a cell's number, by the world: each round is invertible. */
static uint32_t shuffled(uint64_t key, uint32_t a, uint32_t b)
{
    for (uint64_t round = 0; round < 4; round++) {
        const uint32_t next = a ^ ((uint32_t)hash_absorb(hash_absorb(key, round), b) & ALL);
        a = b;
        b = next;
    }
    return a << HALF | b;
}

static char *put(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    return at;
}

static bool begins(const char *text, const char *word)
{
    while (*word && *text == *word) {
        text++;
        word++;
    }
    return !*word;
}

/* True if a name contains an offensive word, of some European languages. */
static bool offends(const char *name)
{
    static const char *const word[] = {
        "anus",   "arse",    "boob",  "bugger", "chink",  "chuj",  "clit",   "cock",   "coon",  "cum",
        "cunt",   "dago",    "dick",  "dildo",  "encul",  "fag",   "fart",   "fitta",  "foda",  "frocio",
        "fuck",   "gestapo", "gook",  "gypo",   "hitler", "hoer",  "homo",   "hooker", "hure",  "incest",
        "injun",  "jew",     "jihad", "jizz",   "kanker", "kike",  "kill",   "marico", "merde", "molest",
        "murder", "nazi",    "negro", "neuk",   "nigg",   "nutte", "orosp",  "paki",   "pedo",  "penis",
        "pimp",   "piss",    "polla", "porn",   "puta",   "rape",  "salope", "semen",  "shit",  "sikis",
        "slave",  "slut",    "sodom", "spic",   "stalin", "suka",  "tits",   "tranny", "turd",  "twat",
        "vagin",  "verga",   "vulva", "wank",   "whore",  "wog",   "wop"};
    for (; *name; name++)
        for (size_t w = 0; w < sizeof word / sizeof *word; w++)
            if (begins(name, word[w]))
                return true;
    return false;
}

/* parted: separated by sounds that no other name has there. */
static void write_name(const struct tongue *tongue, uint32_t n, int of, bool parted, char *at)
{
    at = put(at, tongue->first[n >> 15]);
    at = put(at, tongue->vowel[n >> 12 & 7]);
    at = put(at, parted ? "dro" : "");
    at = put(at, tongue->middle[n >> 7 & 31]);
    at = put(at, tongue->vowel[n >> 4 & 7]);
    at = put(at, parted ? "lo" : "");
    *put(at, tongue->ending[of][n & 15]) = '\0';
}

/* The name of a cell's number; x and y: the square of its tongue. */
static void name_cell(uint64_t key, int64_t x, int64_t y, uint32_t n, int of, char name[TERRANE_NAME_BYTES])
{
    const uint64_t square = hash_absorb(hash_absorb(key, (uint64_t)x), (uint64_t)y);
    const struct tongue *tongue = &tongues[square % TONGUES];
    write_name(tongue, n, of, false, name);
    if (offends(name))
        write_name(tongue, n, of, true, name);
    name[0] = (char)(name[0] - 'a' + 'A');
}

static uint64_t key_of(const struct terrane_world *world)
{
    return hash_absorb(world->ids, UINT64_C(0x4E616D65)); /* "Name" */
}

void terrane_place_name(const struct terrane_world *world, const struct terrane_path_node *node,
                        char name[TERRANE_NAME_BYTES])
{
    const uint64_t key = key_of(world);
    const int level = world->recipe->paths.level, log2 = level < TONGUE_LOG2 ? TONGUE_LOG2 - level : 0;
    name_cell(key, node->gi >> log2, node->gj >> log2,
              shuffled(key, (uint32_t)node->cx & ALL, (uint32_t)node->cy & ALL), node->town ? TOWN : VILLAGE,
              name);
}

/* The name of a level's cell, of 2^cell_log2 samples: its number is unique among 512 x 512 cells and four levels. */
static void name_at(const struct terrane_world *world, uint64_t order, int level, int cell_log2, int64_t cx,
                    int64_t cy, uint32_t which, int of, char name[TERRANE_NAME_BYTES])
{
    enum { LOW = ALL >> 1 };
    const int finer =
        TONGUE_LOG2 - cell_log2 - level; /* that a square's side is, than a cell's, if negative */
    const int64_t x = finer > 0 ? cx >> finer : cx * (INT64_C(1) << -finer),
                  y = finer > 0 ? cy >> finer : cy * (INT64_C(1) << -finer);
    name_cell(key_of(world), x, y,
              shuffled(order, ((uint32_t)cx & LOW) | (which & 1) << (HALF - 1),
                       ((uint32_t)cy & LOW) | (which >> 1 & 1) << (HALF - 1)),
              of, name);
}

void terrane_landmark_name(const struct terrane_world *world, const struct terrane_landmark *mark,
                           char name[TERRANE_NAME_BYTES])
{
    enum { CELL_LOG2 = 5 };
    static const int ending[TERRANE_LANDMARKS] = {
        [TERRANE_LANDMARK_PEAK] = PEAK,   [TERRANE_LANDMARK_SEA] = SEA,  [TERRANE_LANDMARK_RANGE] = RANGE,
        [TERRANE_LANDMARK_CAPE] = CAPE,   [TERRANE_LANDMARK_BAY] = BAY,  [TERRANE_LANDMARK_ISLAND] = ISLAND,
        [TERRANE_LANDMARK_TRACT] = TRACT, [TERRANE_LANDMARK_BANK] = BANK};
    name_at(world, key_of(world), mark->level, CELL_LOG2, mark->cx, mark->cy, (uint32_t)mark->level,
            ending[mark->kind], name);
}

/* Lattices whose streams finer ones have are two levels apart. */
uint64_t terrane_stem_name(const struct terrane_world *world, const struct terrane_stem *stem,
                           char name[TERRANE_NAME_BYTES])
{
    if (name)
        name_at(world, key_of(world), stem->level, 0, stem->gi, stem->gj, (uint32_t)stem->level >> 1, RIVER,
                name);
    return drain_stem_id(world, stem);
}

/* Lakes of each stem have their own permutation, so at most one in a million of two with the same name is near the other. */
uint64_t terrane_lake_name(const struct terrane_world *world, const struct terrane_stem *stem, int32_t z,
                           char name[TERRANE_NAME_BYTES])
{
    if (name)
        name_at(world, hash_absorb(key_of(world), (uint64_t)z), stem->level, 0, stem->gi, stem->gj,
                (uint32_t)stem->level >> 1, LAKE, name);
    return hash_absorb(drain_stem_id(world, stem), (uint64_t)z);
}
