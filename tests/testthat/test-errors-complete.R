# Every text that a user may be shown stands in a snapshot.

# The literal pieces of the calls to abort(), warn() and message() in the package's functions.
shown_texts <- function() {
  namespace <- asNamespace("flexkern")
  functions <- Filter(is.function, mget(ls(namespace, all.names = TRUE), namespace))
  unlist(lapply(functions, function(f) pieces_below(body(f))), use.names = FALSE)
}

pieces_below <- function(e) {
  if (!is.call(e)) return(NULL)
  head <- if (is.symbol(e[[1]])) as.character(e[[1]]) else ""
  parts <- as.list(e)[-1]
  own <- if (head %in% c("abort", "warn", "message")) literals(parts[names2(parts) != "arg"])
  c(own, unlist(lapply(parts, pieces_below)))
}

# Also within if () and paste(), where only one branch may be shown at a time.
literals <- function(parts) {
  unlist(lapply(parts, function(part) {
    if (is.character(part)) return(part)
    if (is.call(part) && identical(part[[1]], quote(paste0))) return(literals(as.list(part)[-1]))
    NULL
  }))
}

names2 <- function(x) if (is.null(names(x))) rep("", length(x)) else names(x)

test_that("every text of an error, a warning or a message is in a snapshot", {
  files <- list.files(test_path("_snaps"), "[.]md$", full.names = TRUE)
  skip_if(length(files) == 0, "no snapshots here")
  shown <- paste(unlist(lapply(files, readLines)), collapse = "\n")
  texts <- unique(shown_texts())
  texts <- texts[nchar(texts) > 8]
  expect_gt(length(texts), 100)
  absent <- texts[!vapply(texts, function(text) grepl(text, shown, fixed = TRUE), NA)]
  expect_identical(absent, character())
})
