# Sourced by the scripts beside it, from the project's root: builds what is missing or out of date.
java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
jar=bench/target/benchmarks.jar

if [[ ! -e $jar || -n $(find pom.xml {framing,core,bench}/pom.xml {framing,core,bench}/src/main -newer $jar -print -quit) ]]; then
    ./mvnw -B -ntp -q -pl framing,core,bench -DskipTests package >&2
fi

# Compiles a program of peers/ and prints where it is: build_peer name [output [flags of the compiler]].
build_peer() {
    local source=bench/peers/$1.c program=bench/target/${2:-$1}
    if [[ ! -e $program || $source -nt $program ]]; then
        "${CC:-gcc}" -O2 "${@:3}" -o "$program" "$source"
    fi
    echo "$program"
}
