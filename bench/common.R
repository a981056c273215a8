# Shared by the scripts of this folder.

# Arguments of the form name=value over their defaults; values of the same kind as the defaults,
# several of them separated by commas.
arguments <- function(...) {
  out <- list(...)
  for (argument in commandArgs(trailingOnly = TRUE)) {
    pair <- c(sub("=.*", "", argument), sub("^[^=]*=", "", argument))
    if (!grepl("=", argument, fixed = TRUE) || !pair[1] %in% names(out)) {
      stop("Write arguments as name=value, with a name of: ", toString(names(out)), call. = FALSE)
    }
    values <- strsplit(pair[2], ",", fixed = TRUE)[[1]]
    out[[pair[1]]] <- methods::as(values, class(out[[pair[1]]]))
  }
  out
}

default_threads <- function() flexkern::flexkern_config()$threads

installed <- function(package) {
  there <- requireNamespace(package, quietly = TRUE)
  if (!there) message(package, " is not installed and left out.")
  there
}

# The rows of a data frame of text or numbers as a markdown table.
markdown <- function(rows) {
  body <- do.call(paste, c(unname(rows), sep = " | "))
  rule <- ifelse(vapply(rows, is.numeric, NA) | seq_along(rows) > 1, "---:", "---")
  cat("", paste("|", paste(names(rows), collapse = " | "), "|"),
      paste0("|", paste(rule, collapse = "|"), "|"), paste("|", body, "|"), "", sep = "\n")
}

decimals <- function(x, digits) {
  ifelse(is.na(x), "-", formatC(x, digits = digits, format = "f"))
}

# liquidSVM binds the process to a core and leaves it there, where all later threads would share it.
all_cores <- parallel::mcaffinity(NULL)
unbind <- function() invisible(parallel::mcaffinity(all_cores))

elapsed <- function(code) system.time(code)[["elapsed"]]

# A program of cpp/, built by cmake unless `given` names it; NULL where it cannot be built.
core_program <- function(name, given) {
  if (nzchar(given)) return(given)
  folder <- file.path(tempdir(), "core")
  log <- tempfile()
  run <- function(...) system2("cmake", c(...), stdout = log, stderr = log)
  if (run("-S", "cpp", "-B", folder) == 0 && run("--build", folder, "--target", name) == 0) {
    return(file.path(folder, name))
  }
  message(name, " could not be built:\n", paste(utils::tail(readLines(log), 5), collapse = "\n"))
}

# A file of the folder that FLEXKERN_DATA names, or NULL.
data_file <- function(name) {
  file <- file.path(Sys.getenv("FLEXKERN_DATA"), paste0(name, ".csv.gz"))
  if (file.exists(file)) return(utils::read.csv(file, stringsAsFactors = TRUE))
  message(name, " is left out: no ", basename(file), " in the folder FLEXKERN_DATA.")
}

letters_data <- function() {
  place <- new.env()
  utils::data("LetterRecognition", package = "mlbench", envir = place)
  list(x = as.matrix(place$LetterRecognition[-1]), y = place$LetterRecognition$lettr)
}

# Values to [-1, 1] by the given range.
to_unit <- function(v, range) 2 * (v - range[1]) / (range[2] - range[1]) - 1

squared_error <- function(predicted, y) mean((pmax(-1, pmin(1, predicted)) - y)^2)

step_function <- function(x) {
  c(-1, 0.8, -0.3, 1, 0.1)[findInterval(x, c(-0.6, -0.2, 0.1, 0.55)) + 1]
}

draw_steps <- function(n, seed) {
  set.seed(seed)
  x <- stats::runif(n, -1, 1)
  spread <- (3 * sin(pi / 2 * abs(x)) + 1) / 4
  noise <- stats::runif(n, -1, 1) * spread + stats::runif(n, -1, 1) * spread
  list(x = matrix(x, n, 1, dimnames = list(NULL, "x1")), y = step_function(x) + noise)
}

# A step function of one variable under noise that grows with |x|, and fresh points to test on.
step_data <- function(n, seed) {
  train <- draw_steps(n, 1000 + seed)
  test <- draw_steps(20000, 999)
  range <- range(train$y)
  list(x = train$x, y = to_unit(train$y, range), test_x = test$x, test_y = to_unit(test$y, range),
       test_f = to_unit(step_function(test$x), range))
}

# The first against the second half of the alphabet.
half_alphabet <- function(n, seed) {
  all <- letters_data()
  y <- ifelse(all$y %in% LETTERS[1:13], -1, 1)
  set.seed(seed)
  train <- sample(16000)[seq_len(n)]
  low <- apply(all$x[train, ], 2, min)
  width <- apply(all$x[train, ], 2, max) - low
  x <- sweep(sweep(all$x, 2, low), 2, ifelse(width == 0, 1, width), "/")
  list(x = x[train, ], y = y[train], test_x = x[16001:20000, ], test_y = y[16001:20000])
}

geometric <- function(from, to) exp(seq(log(from), log(to), length.out = 10))

# liquidSVM's own default grid, given to both; its kernel is exp(-|u - v|^2 / width^2).
default_grid <- function(x) {
  m <- 0.8 * nrow(x)
  d <- ncol(x)
  list(width = geometric(min(10, 5 * (1 + 5 / m)^d), 0.2 * m^(-1 / d)),
       lambda = geometric(0.01, 0.001 / m))
}
