// What programs say about data that is damaged, cut off or of another kind than
// they expect, and about numbers that went astray: libraries of Python, Java,
// R and bioinformatics.
#include "policy/demystify/signatures/application_texts.h"

namespace mulligan::demystify {
namespace {

constexpr TextSignature Data(std::string_view keyword, const char* pattern,
                             std::string_view name, std::string_view meaning) {
  return AppText(keyword, pattern, name, v1::DATA_OR_NUMERIC, kMedium,
                 Tier::kSpecific, kNoFlags, meaning);
}

constexpr TextSignature kDataTexts[] = {
    // Numbers.
    Data("nan",
         "\\bnan\\b.{0,30}\\bloss|loss.{0,40}\\bnan\\b|"
         "(gradient|grad|weights?|output|tensor|logits|activation)[^\\n]{0,40}"
         "\\bnan\\b|\\bnans?\\b[^\\n]{0,40}(detected|found|encountered|gradient"
         "|grad|values?|tensor|in loss)|\\bnans? or infs?\\b|contains? "
         "(nan|infinity)\\b",
         "nan", "the numbers became NaN"),
    Data("non-finite", nullptr, "non-finite", "the numbers became infinite"),
    Data("nonfinite", nullptr, "nonfinite", "the numbers became infinite"),
    Data("not finite", nullptr, "not-finite", "the numbers became infinite"),
    Data("infinite loss", nullptr, "infinite-loss",
         "the numbers became infinite"),
    Data("loss", "loss (is|was|became|=|:)[^\\n]{0,20}\\binf", "inf-loss",
         "the numbers became infinite"),
    Data("floatingpointerror", nullptr, "floating-point",
         "a floating-point exception"),
    Data("loss scale",
         "loss scale.{0,60}(minimum|below|reached|already)|loss scale to "
         "(0\\.0\\b|[\\d.]+e-)",
         "loss-scale", "mixed-precision training diverged"),
    Data("linalgerror", nullptr, "linear-algebra",
         "the numbers do not let an equation be solved"),
    Data("positive", "not positive[- ](semi-?)?definite", "not-definite",
         "the numbers do not let an equation be solved"),
    Data("index out of range in self", nullptr, "embedding-index",
         "labels or indexes are outside their range"),
    Data("silent data corruption", nullptr, "sdc",
         "the machine computed wrong results"),
    // Data.
    Data("checksum",
         "checksums?[^\\n]{0,40}(mismatch|not match|wrong|incorrect|invalid|"
         "failed)",
         "checksum", "data was damaged"),
    Data("crc", "\\bcrc(32)?[^\\n]{0,12}(error|failed|mismatch)", "crc",
         "data was damaged"),
    Data("badzipfile", nullptr, "bad-zip", "data was damaged"),
    Data("magic bytes not found", nullptr, "parquet",
         "data was damaged or of another format"),
    Data("unicodedecodeerror", nullptr, "unicode",
         "data is not in the expected encoding"),
    Data("jsondecodeerror", nullptr, "json", "data is not the expected JSON"),
    Data("parseexception", "(json|xml|sax|csv|yaml)\\w*parseexception",
         "parse-exception", "data is not in the expected format"),
    Data("numberformatexception", nullptr, "java-number",
         "data is not the expected number"),
    Data("could not convert string to", nullptr, "python-number",
         "data is not the expected number"),
    Data("invalid literal for int", nullptr, "python-integer",
         "data is not the expected number"),
    Data("arrowinvalid", nullptr, "arrow", "data is not as expected"),
    Data("parquetdecodingexception", nullptr, "parquet-decoding",
         "data was damaged or of another format"),
    Data("error tokenizing data", nullptr, "pandas", "data is not as expected"),
    Data("no columns to parse from file", nullptr, "pandas-empty",
         "data is cut off"),
    Data("cannot identify image file", nullptr, "image",
         "data was damaged or of another format"),
    Data("samformatexception", nullptr, "sam",
         "data was damaged or of another format"),
    Data("paired reads have different", nullptr, "read-pairs",
         "the two files of read pairs do not belong together"),
    Data("bgzf",
         "(fail|error)[^\\n]{0,60}bgzf|bgzf[^\\n]{0,60}(fail|error|invalid)",
         "bgzf", "data was damaged or of another format"),
    Data("corrupt",
         "corrupt(ed)? (file|data|record|checkpoint|archive|image|"
         "jpeg|tfrecord|block)|(file|data|record|checkpoint|archive)[^\\n]"
         "{0,40}(is|are|was|were|appears) corrupt",
         "corrupt", "data was damaged"),
    Data("invalid header",
         "(gzip|zlib|safetensors|tar).{0,40}(invalid|"
         "incorrect) header|header.{0,40}(invalid|corrupt)",
         "bad-header", "data was damaged"),
    Data(
        "assertion `",
        "assertion `[^`]{0,80}(n_classes|srcindex|idx|index)[^`]{0,80}` failed",
        "index-assertion", "labels or indexes are outside their range"),
    Data("pytorchstreamreader failed", nullptr, "torch-archive",
         "a checkpoint is damaged or cut off"),
    AppText("inline_container", "inline_container\\.(cc|h)", "torch-container",
            v1::DATA_OR_NUMERIC, kMedium, Tier::kConvention, kNoFlags,
            "a checkpoint is damaged or could not be written"),
    Data("unpicklingerror", nullptr, "unpickling", "data is damaged"),
    Data("ran out of input", nullptr, "pickle-empty", "data is cut off"),
    Data("safetensor",
         "headertoolarge|headertoosmall|incompletemetadata|"
         "metadataincompletebuffer|invalidheader|deserializing header",
         "safetensors", "a checkpoint is damaged or cut off"),
    Data("datalosserror", nullptr, "tf-data-loss", "data is damaged"),
    Data("truncated",
         "truncated (file|record|archive|gzip|bam)|(file|archive|download|"
         "image) (is|was|appears) truncated|probably truncated|truncated\\. "
         "aborting",
         "truncated", "data is cut off"),
    Data("end-of-stream marker", nullptr, "gzip-end", "data is cut off"),
    Data("gzip", "not (in |a )gzip", "gzip", "data is of another format"),
    Data("decompressing data", "error -?\\d+ while decompressing data", "zlib",
         "data was damaged"),
    // The end of a connection is no end of data.
    AppText(
        "unexpected eof",
        "(ssl|tls|handshake|https?:/|max retries|connection|socket|broker|rpc "
        "error)[^\\n]{0,300}(\\n[ \\t]*\\* )?unexpected eof",
        "connection-eof", v1::DEPENDENCY_UNAVAILABLE, kMedium, Tier::kSpecific,
        kPeerEffect, "the connection to a service broke"),
    Data("unexpected eof", nullptr, "unexpected-eof", "data is cut off"),
    Data("unexpected end of", "unexpected end of (file|data|stream|input|json)",
         "unexpected-end", "data is cut off"),
    Data("not a parquet file", nullptr, "no-parquet",
         "data is damaged or of another format"),
    Data("schema",
         "schemas? (mismatch|do(es)? not match|conflict)|avro "
         "schema[^\\n]{0,40}(mismatch|incompatible)",
         "schema-mismatch", "data is not as expected"),
    Data("failure in test", nullptr, "dbt-test",
         "the data does not pass its tests"),
    Data("[e::",
         "\\[e::[^\\n]{0,160}(differ|invalid|malformed|truncated|corrupt|"
         "mismatch)",
         "htslib", "data was damaged or of another format"),
    Data("header",
         "invalid "
         "(vcf|bam|sam|fast[aq]|bed|gff|gzip|zip|png|jpe?g|wav|csv|parquet|"
         "hdf5|tar|record) header",
         "format-header", "data was damaged or of another format"),
    Data("decompress",
         "decompress(ion|ing)? (failed|error)|(failed|unable) to decompress",
         "decompress", "data was damaged"),
    // A page for people where data was asked for.
    AppText("<",
            "invalid character '<'|unexpected token '?<|json[^\\n]{0,80}<(!"
            "doctype|html)",
            "page-for-data", v1::DEPENDENCY_UNAVAILABLE, kMedium,
            Tier::kSpecific, kPeerEffect,
            "a service answered with a page for people, as it does in trouble"),
    Data("looking for beginning of", nullptr, "go-json",
         "data is not the expected JSON"),
    Data("hash mismatch", nullptr, "hash-mismatch",
         "data or results are not what they should be"),
};

}  // namespace

std::span<const TextSignature> DataTexts() { return kDataTexts; }

}  // namespace mulligan::demystify
