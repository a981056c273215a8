# Fitting 16 000 letters, 26 classes, defaults.
source("bench/race.R")

data(LetterRecognition, package = "mlbench")
train <- LetterRecognition[1:16000, ]

race(list(
  "flexkern::vpsvm" = function() flexkern::vpsvm(lettr ~ ., data = train),
  "e1071::svm" = function() e1071::svm(lettr ~ ., data = train),
  "ranger::ranger" = function() ranger::ranger(lettr ~ ., data = train, num.threads = 2)
), rounds = 1)
